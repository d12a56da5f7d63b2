import { ActionIcon, Button } from '@mantine/core';
import { Link as RouterLink } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useEffect } from 'react';
import type { Post } from '#generated/app-client';
import { usePermissions } from '#web/base/session.ts';
import { CopyButton } from '#web/parts/copy.tsx';
import { Kbd } from '#web/parts/kbd.tsx';
import { count } from '#web/parts/number.ts';
import { PageHeader } from '#web/parts/page-header.tsx';
import { webAddress } from '#web/parts/results/summary-of.ts';
import { Column } from '#web/parts/section.tsx';
import { useIsPhone } from '#web/parts/use-is-phone.ts';
import { useOwnBottomBar } from '#web/parts/use-own-bottom-bar.ts';
import Board from './board.tsx';
import { closeBoardToast, showBoardToast } from './board-toast.tsx';
import styles from './send-off.module.css';
import { describeRunning } from './summary.ts';

/** Takes the place of the editor while a post goes out, and stays until the person moves on. */
export default function SendOff({
  post,
  isFresh,
  onSeeResults,
}: {
  post: Post;
  isFresh: boolean;
  onSeeResults: () => void;
}) {
  useOwnBottomBar();
  const { canWrite } = usePermissions();
  const isPhone = useIsPhone();
  const { id, status } = post;
  useEffect(() => closeBoardToast(id), [id]);
  useEffect(() => {
    if (status !== 'Publishing') return;
    return () => {
      // Show the toast only if the person left the post's page, not if they opened its results.
      setTimeout(() => {
        if (!location.pathname.endsWith(`/posts/${id}`)) showBoardToast(id);
      });
    };
  }, [id, status]);
  return (
    <>
      <PageHeader
        crumb={{ label: 'Posts', link: { to: '/posts' } }}
        title="Send-off"
        actions={
          isPhone && (
            <ActionIcon size={40} aria-label="Close" renderRoot={(props) => <RouterLink to="/posts" {...props} />}>
              <X size={20} aria-hidden="true" />
            </ActionIcon>
          )
        }
      />
      <Column width="narrow">
        <Board
          post={post}
          isFresh={isFresh}
          footer={(tally, rows, sendAgain) => {
            const links = rows.flatMap(({ result }) => webAddress(result?.url) ?? []);
            const isRunning = tally.running.length > 0;
            return (
              <>
                {isRunning && (
                  <p className="small text-2">
                    {tally.out + tally.failed + tally.uncertain > 0 && `${describeRunning(tally)} `}
                    You can leave this page. It goes on.
                  </p>
                )}
                {!isRunning && links.length > 0 && (
                  <CopyButton value={links.join('\n')}>Copy {count(links.length, 'link')}</CopyButton>
                )}
                {canWrite && sendAgain.isOffered && (
                  <Button
                    size="xs"
                    variant="send"
                    loading={sendAgain.isPending}
                    onClick={() => sendAgain.mutate(undefined)}
                  >
                    Send again to all that failed
                  </Button>
                )}
                <Button size="xs" onClick={onSeeResults}>
                  See results
                </Button>
                {!isRunning && canWrite && (
                  <Button
                    className={styles.next}
                    size="xs"
                    variant="ink"
                    rightSection={<Kbd keys="C" inverse />}
                    renderRoot={(props) => <RouterLink to="/posts/$id" params={{ id: 'new' }} {...props} />}
                  >
                    Write the next
                  </Button>
                )}
              </>
            );
          }}
        />
      </Column>
    </>
  );
}
