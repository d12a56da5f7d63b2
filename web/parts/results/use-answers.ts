import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Post } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keepPost, keys } from '#web/base/queries.ts';

type Answer = 'again' | 'there' | 'not there' | 'give up';

/** Not optimistic: the server must accept the answer first. */
export const useAnswers = (postId: string, accountId: string) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (answer: Answer): Promise<Post> => {
      if (answer === 'there') return app.confirmFound({ id: postId, accountIds: [accountId] });
      if (answer === 'give up') return app.giveUp({ id: postId, accountIds: [accountId] });
      const despite = answer === 'not there' ? [accountId] : [];
      return app.publishAgain({ id: postId, accountIds: despite, only: [accountId] });
    },
    ...accept(client, postId),
  });
};

/** One request for all accounts that failed and are connected. */
export const useSendAgain = (postId: string, accountIds: readonly string[]) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => app.publishAgain({ id: postId, accountIds: [], only: [...accountIds] }),
    ...accept(client, postId),
  });
};

const accept = (client: QueryClient, postId: string) => ({
  onSuccess: (post: Post) => {
    // The steps so far belong to the previous attempt.
    void client.resetQueries({ queryKey: keys.progress(postId) });
    keepPost(client, post);
  },
  // Refetch after an error too: someone else may have answered first.
  onSettled: () => client.invalidateQueries({ queryKey: ['posts'] }),
});
