import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Comment } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { AdviceList } from '#web/parts/advice-list.tsx';
import { Loaded } from '#web/parts/loaded.tsx';
import { NewComment } from './comment-form.tsx';
import { CommentRow } from './comment-row.tsx';
import styles from './comments.module.css';
import { useComments } from './use-side.ts';

export const Comments = ({ postId }: { postId: string }) => {
  const client = useQueryClient();
  const query = useComments(postId);
  const put = (change: (comments: Comment[]) => Comment[]) =>
    client.setQueryData<{ comments: Comment[] }>(
      keys.comments(postId),
      (before) => before && { comments: change(before.comments) },
    );
  const add = useMutation({
    mutationFn: (body: string) => app.addComment({ id: postId, body }),
    onSuccess: (made) => put((comments) => [...comments.filter(({ id }) => id !== made.id), made]),
  });
  return (
    <Loaded query={query} title="The comments could not be loaded" rows={3} height={56} label="Loading comments">
      {({ comments }) => (
        <>
          {comments.length === 0 && (
            <p className={`small text-2 ${styles.none}`}>
              Nobody has commented yet. Members see comments, networks never get them.
            </p>
          )}
          <ul className={styles.list} aria-label="Comments">
            {comments.map((comment) => (
              <CommentRow key={comment.id} comment={comment} put={put} />
            ))}
          </ul>
          <AdviceList postId={postId} />
          <NewComment postId={postId} onSend={(body) => add.mutateAsync(body)} />
        </>
      )}
    </Loaded>
  );
};
