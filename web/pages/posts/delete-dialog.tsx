import { useQueryClient } from '@tanstack/react-query';
import type { SelectedPost } from '#generated/app-client';
import { usePermissions, useZone } from '#web/base/session.ts';
import { formatDateTime } from '#web/base/time.ts';
import { useActLabel } from '#web/parts/approval-requests.ts';
import { ConfirmDialog } from '#web/parts/confirm-dialog.tsx';
import { focusAfter } from '#web/parts/list.tsx';
import { count } from '#web/parts/number.ts';
import { useDeletePosts } from '#web/parts/post-actions.ts';
import { quoteHeading } from '#web/parts/post-title.tsx';

/** Scheduled and partly sent posts need a confirmation; drafts have Undo. */
export const DeleteDialog = ({
  posts,
  area,
  onDeleted,
  onClose,
}: {
  /** Empty while it is closed. */
  posts: readonly SelectedPost[];
  area: React.RefObject<HTMLElement | null>;
  onDeleted: () => void;
  onClose: () => void;
}) => {
  const client = useQueryClient();
  const zone = useZone();
  const deletePosts = useDeletePosts();
  const label = useActLabel();
  const { canOnlyAsk } = usePermissions();
  const [only] = posts;
  const isOne = posts.length === 1;
  const scheduled = posts.filter(({ status }) => status === 'Scheduled').length;
  const isFree = scheduled === 0;
  const isAsking = canOnlyAsk && !isFree;
  const hasFailed = posts.some(({ status }) => status === 'Failed');
  const remove = async () => {
    if (only) focusAfter(area.current, only.id);
    deletePosts(posts);
    if (posts.length > 1) onDeleted();
    await client.invalidateQueries({ queryKey: ['posts', 'search'] });
  };
  return (
    <ConfirmDialog
      opened={only !== undefined}
      onClose={onClose}
      title={`${label(isOne ? 'Delete this post' : `Delete ${count(posts.length, 'post')}`, { isFree })}?`}
      act={label('Delete', { isFree })}
      kind="danger"
      onConfirm={remove}
    >
      {isOne && only && <p dir="auto">{quoteHeading(only.text)}</p>}
      {isOne && !isAsking && only?.status === 'Scheduled' && only.scheduledAt !== undefined && (
        <p>It will not go out on {formatDateTime(only.scheduledAt, zone)}.</p>
      )}
      {!isOne && !isAsking && scheduled > 0 && <p>{count(scheduled, 'scheduled post')} will not go out.</p>}
      {isAsking && <p>{isOne ? 'It goes' : 'Scheduled posts go'} out as planned until somebody approves that.</p>}
      {hasFailed && <p>What is already on a network stays there. Its numbers are deleted here.</p>}
      {!(isOne && isAsking) && (
        <p>{isOne ? 'It stays' : 'They stay'} in the bin for 30 days and can be restored as a draft.</p>
      )}
    </ConfirmDialog>
  );
};
