import { Button, Modal } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Check, Images } from 'lucide-react';
import { useState } from 'react';
import { actions } from '#web/api.ts';
import { EmptyState } from '#web/parts/empty-state.tsx';
import { FaultBanner } from '#web/parts/fault.tsx';
import { MainButton } from '#web/parts/main-button.tsx';
import { count } from '#web/parts/number.ts';
import { SkeletonRows } from '#web/parts/skeleton-rows.tsx';
import { keys } from '#web/queries.ts';
import styles from './dialogs.module.css';
import { thumbnailOf } from './thumbnail-of.ts';
import { useEditor } from './use-editor.ts';

/** Files that are there already, newest first; in the order in which they are chosen. */
export default function LibraryDialog({
  accepts,
  single = false,
  onClose,
  onChoose,
}: {
  /** Types; all of them when it is absent. */
  accepts?: readonly string[] | undefined;
  single?: boolean;
  onClose: () => void;
  onChoose: (ids: readonly string[]) => void;
}) {
  const { learnMedia } = useEditor();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: [...keys.media, 'choose'],
    queryFn: ({ pageParam, signal }) =>
      actions.media.list({ limit: 40, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const all = data?.pages.flatMap((page) => page.media) ?? [];
  const media = all.filter(({ mimeType }) => accepts?.includes(mimeType) ?? true);
  const toggle = (id: string) =>
    setChosen((ids) => (ids.includes(id) ? ids.filter((one) => one !== id) : single ? [id] : [...ids, id]));
  const add = () => {
    learnMedia(...media.filter(({ id }) => chosen.includes(id)));
    onChoose(chosen);
    onClose();
  };
  return (
    <Modal opened onClose={onClose} title="Media library" size={720}>
      {isPending && <SkeletonRows rows={3} height={110} />}
      {error && <FaultBanner fault={error} title="The library could not be loaded" onRetry={() => void refetch()} />}
      {data && media.length === 0 && (
        <EmptyState icon={Images} title={all.length > 0 ? 'No file of this kind' : 'No media yet'} level={3}>
          What you add to a post is kept here.
        </EmptyState>
      )}
      <div className={styles.grid}>
        {media.map(({ id, kind, alt }, index) => (
          <button
            key={id}
            type="button"
            className={styles.choice}
            aria-pressed={chosen.includes(id)}
            aria-label={alt || `${kind} ${index + 1}`}
            onClick={() => toggle(id)}
          >
            <img src={thumbnailOf(id)} alt="" loading="lazy" />
            {chosen.includes(id) && (
              <span className={styles.mark} aria-hidden="true">
                {chosen.length > 1 ? chosen.indexOf(id) + 1 : <Check size={14} />}
              </span>
            )}
          </button>
        ))}
      </div>
      {hasNextPage && (
        <Button variant="quiet" fullWidth mt={12} loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
      <div className={styles.buttons}>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <MainButton reason={chosen.length === 0 ? 'Choose a file first.' : undefined} reasonHidden onClick={add}>
          {chosen.length === 0 ? 'Add' : `Add ${count(chosen.length, 'file')}`}
        </MainButton>
      </div>
    </Modal>
  );
}
