import { ActionIcon, Button, Menu } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Copy, Ellipsis, FileText, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Post } from '#generated/app-client';
import { describeFailure } from '#web/base/faults.ts';
import { usePermissions } from '#web/base/session.ts';
import { ConfirmDialog } from '#web/parts/confirm-dialog.tsx';
import { joinWithAnd } from '#web/parts/join-names.ts';
import { useDeletePosts, useMakeCopy } from '#web/parts/post-actions.ts';
import type { Target } from '#web/parts/results/target.ts';
import { showToast } from '#web/parts/toasts.tsx';
import { useIsPhone } from '#web/parts/use-is-phone.ts';

export const ResultActions = ({
  post,
  targets,
  onShowText,
}: {
  post: Post;
  targets: readonly Target[];
  onShowText: () => void;
}) => {
  const { canWrite } = usePermissions();
  const isPhone = useIsPhone();
  const navigate = useNavigate();
  const [deleting, setDeleting] = useState(false);
  const duplicate = useDuplicate(post);
  const isFailed = post.status === 'Failed';
  if (!canWrite && !isPhone) return null;
  return (
    <>
      {canWrite && !isPhone && (
        <Button
          leftSection={<Copy size={16} aria-hidden="true" />}
          loading={duplicate.isPending}
          onClick={() => duplicate.mutate()}
        >
          Duplicate
        </Button>
      )}
      {(isPhone || isFailed) && (
        <Menu>
          <Menu.Target>
            <ActionIcon size={isPhone ? 40 : 30} aria-label="More">
              <Ellipsis size={18} aria-hidden="true" />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {isPhone && (
              <Menu.Item leftSection={<FileText size={16} aria-hidden="true" />} onClick={onShowText}>
                What went out
              </Menu.Item>
            )}
            {isPhone && canWrite && (
              <Menu.Item leftSection={<Copy size={16} aria-hidden="true" />} onClick={() => duplicate.mutate()}>
                Duplicate
              </Menu.Item>
            )}
            {isFailed && canWrite && (
              <>
                <Menu.Item
                  leftSection={<Pencil size={16} aria-hidden="true" />}
                  onClick={() => void navigate({ to: '/posts/$id', params: { id: post.id }, search: { edit: '1' } })}
                >
                  Edit
                </Menu.Item>
                <Menu.Item
                  leftSection={<Trash2 size={16} aria-hidden="true" />}
                  color="var(--red)"
                  onClick={() => setDeleting(true)}
                >
                  Delete
                </Menu.Item>
              </>
            )}
          </Menu.Dropdown>
        </Menu>
      )}
      <DeleteDialog post={post} targets={targets} opened={deleting} onClose={() => setDeleting(false)} />
    </>
  );
};

const useDuplicate = (post: Post) => {
  const client = useQueryClient();
  const navigate = useNavigate();
  const makeCopy = useMakeCopy();
  return useMutation({
    mutationFn: () => makeCopy(post, post.id),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: ['posts'] });
      await navigate({ to: '/posts/$id', params: { id } });
    },
    onError: (error) => showToast({ tone: 'red', text: describeFailure(error, 'Not duplicated.') }),
  });
};

const DeleteDialog = ({
  post,
  targets,
  opened,
  onClose,
}: {
  post: Post;
  targets: readonly Target[];
  opened: boolean;
  onClose: () => void;
}) => {
  const deletePosts = useDeletePosts();
  const navigate = useNavigate();
  const maybeOut = targets.filter(({ state }) => state === 'Published' || state === 'Uncertain');
  const where = joinWithAnd([...new Set(maybeOut.map(({ provider }) => provider))]);
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title="Delete this post?"
      act="Delete"
      kind="danger"
      onConfirm={async () => {
        // Leave first, because this page cannot load a deleted post.
        await navigate({ to: '/posts' });
        deletePosts([{ id: post.id, status: post.status, text: post.versions[0]?.content[0]?.body ?? '' }]);
      }}
    >
      {maybeOut.length > 0 ? (
        <p>
          It stays public on {where}: Posthorn deletes nothing there. Here its numbers are deleted, and the post stays
          in the bin for 30 days.
        </p>
      ) : (
        <p>It is not public anywhere. It stays in the bin for 30 days.</p>
      )}
    </ConfirmDialog>
  );
};
