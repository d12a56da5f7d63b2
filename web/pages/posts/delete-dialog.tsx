import { useQueryClient } from '@tanstack/react-query';
import type { PostSummary } from '#generated/app-client';
import { actions } from '#web/api.ts';
import { ConfirmDialog } from '#web/parts/confirm-dialog.tsx';
import { focusAfter } from '#web/parts/list.tsx';
import { quoteHeading } from '#web/parts/post-title.tsx';
import { formatDateTime } from '#web/parts/time.ts';
import { useZone } from '#web/session.ts';

/** Scheduled and partly sent posts need a confirmation; drafts have Undo. */
export const DeleteDialog = ({
  post,
  area,
  onClose,
}: {
  post: PostSummary | undefined;
  area: React.RefObject<HTMLElement | null>;
  onClose: () => void;
}) => {
  const client = useQueryClient();
  const zone = useZone();
  const remove = async () => {
    if (post === undefined) return;
    await actions.posts.delete({ id: post.id });
    focusAfter(area.current, post.id);
    await client.invalidateQueries({ queryKey: ['posts'] });
  };
  const isOut = post?.results.some(({ ok }) => ok) ?? false;
  return (
    <ConfirmDialog
      opened={post !== undefined}
      onClose={onClose}
      title="Delete this post?"
      act="Delete"
      kind="danger"
      onConfirm={remove}
    >
      {post && (
        <>
          <p dir="auto">{quoteHeading(post.text)}</p>
          {post.status === 'Scheduled' && post.scheduledAt !== undefined && (
            <p>It will not go out on {formatDateTime(post.scheduledAt, zone)}.</p>
          )}
          {isOut && <p>What is already on a network stays there. Its numbers are deleted here.</p>}
          <p>It cannot be brought back.</p>
        </>
      )}
    </ConfirmDialog>
  );
};
