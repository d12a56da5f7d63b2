import { ActionIcon, Tooltip } from '@mantine/core';
import { MessageCircle, X } from 'lucide-react';
import type { Revision } from '#generated/app-client';
import tabs from '#web/pages/post/tab.module.css';
import { PartBoundary } from '#web/parts/part-boundary.tsx';
import { useIsPhone } from '#web/parts/use-is-phone.ts';
import { Comments } from './comments.tsx';
import { History } from './history.tsx';
import styles from './review-panel.module.css';
import { type Side, sides, useComments, useSide } from './use-side.ts';

const names: Record<Side, string> = { comments: 'Comments', history: 'History' };

export const SideButton = ({ postId }: { postId: string }) => {
  const { side, openSide } = useSide();
  const count = useComments(postId).data?.comments.length ?? 0;
  const isPhone = useIsPhone();
  return (
    <Tooltip label="Comments and history">
      <ActionIcon
        className={styles.open}
        size={isPhone ? 40 : 32}
        aria-label={count === 0 ? 'Comments and history' : `Comments and history, ${count}`}
        aria-pressed={side !== undefined}
        onClick={() => openSide(side === undefined ? 'comments' : undefined)}
      >
        <MessageCircle size={18} aria-hidden="true" />
        {count > 0 && (
          <span className={styles.count} aria-hidden="true">
            {count > 99 ? '99+' : count}
          </span>
        )}
      </ActionIcon>
    </Tooltip>
  );
};

export const ReviewPanel = ({
  postId,
  side,
  onRestore,
}: {
  postId: string;
  side: Side;
  /** Absent if the text can no longer change. */
  onRestore?: ((revision: Revision, when: string) => Promise<void>) | undefined;
}) => {
  const { openSide } = useSide();
  const isPhone = useIsPhone();
  const walk = (event: React.KeyboardEvent) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    const next = side === 'comments' ? 'history' : 'comments';
    openSide(next);
    document.getElementById(`side-${next}`)?.focus();
  };
  return (
    <>
      <header className={styles.head}>
        <div className={styles.tabs} role="tablist" aria-label="Comments and history" onKeyDown={walk}>
          {sides.map((one) => (
            <button
              key={one}
              id={`side-${one}`}
              type="button"
              role="tab"
              className={tabs.tab}
              aria-selected={one === side}
              aria-controls="side-panel"
              tabIndex={one === side ? 0 : -1}
              onClick={() => openSide(one)}
            >
              {names[one]}
            </button>
          ))}
        </div>
        {!isPhone && (
          <Tooltip label="Close">
            <ActionIcon size={28} aria-label="Close comments and history" onClick={() => openSide(undefined)}>
              <X size={16} aria-hidden="true" />
            </ActionIcon>
          </Tooltip>
        )}
      </header>
      <div id="side-panel" role="tabpanel" aria-labelledby={`side-${side}`}>
        <PartBoundary>
          {side === 'comments' ? <Comments postId={postId} /> : <History postId={postId} onRestore={onRestore} />}
        </PartBoundary>
      </div>
    </>
  );
};
