import { useQuery } from '@tanstack/react-query';
import type { Post, Result } from '#generated/app-client';
import { actions, app } from '#web/base/api.ts';
import { useNetworks } from '#web/base/networks.ts';
import { keys } from '#web/base/queries.ts';
import { capitalize } from '#web/parts/capitalize.ts';
import type { Target } from '#web/parts/results/target.ts';
import { useSendAgain } from '#web/parts/results/use-answers.ts';
import { useAccounts } from '#web/parts/use-accounts.ts';
import { withEndings } from './steps.ts';

/** Poll while the post is being sent, in case the event stream missed a step. */
const pollMs = 5000;

/** `withSteps`: load the steps even if sending has ended. */
export const useResults = (post: Post, { withSteps = false } = {}) => {
  const { id, status } = post;
  const isSending = status === 'Publishing';
  const { byId, absentName } = useAccounts();
  const networks = useNetworks();
  const progress = useQuery({
    queryKey: keys.progress(id),
    queryFn: async ({ signal }) => {
      const answer = await app.getProgress({ id }, { signal });
      return { ...answer, steps: withEndings(id, answer.steps) };
    },
    enabled: isSending || withSteps,
    refetchInterval: isSending ? pollMs : false,
  });
  const metrics = useQuery({
    queryKey: keys.metrics(id),
    queryFn: ({ signal }) => actions.posts.metrics({ id }, { signal }),
  });
  const history = useQuery({
    queryKey: keys.history(id),
    queryFn: ({ signal }) => app.getHistory({ id }, { signal }),
  });
  const results = (isSending ? progress.data?.results : undefined) ?? post.results;
  const targets = post.accountIds.map((accountId): Target => {
    const account = byId.get(accountId);
    const entry = metrics.data?.accounts.find((one) => one.accountId === accountId);
    const provider = account?.provider ?? entry?.provider ?? capitalize(absentName);
    const result = results.find((one) => one.accountId === accountId);
    return {
      accountId,
      account,
      network: account?.network ?? networks.list.find((one) => one.provider === provider)?.network ?? '',
      provider,
      state: stateOf(result, isSending),
      result,
      wait: isSending ? progress.data?.waits.find((one) => one.accountId === accountId) : undefined,
      step: progress.data?.steps.find((one) => one.accountId === accountId),
      entry,
      areMetricsLoaded: metrics.data !== undefined,
      reads: history.data?.accounts.find((one) => one.accountId === accountId)?.reads ?? [],
    };
  });
  const failed = targets.filter(({ state, account }) => state === 'Failed' && account?.status === 'Connected');
  const again = useSendAgain(
    id,
    failed.map(({ accountId }) => accountId),
  );
  const order: Target['state'][] = ['Failed', 'Uncertain', 'Publishing', 'Published'];
  return {
    targets: targets.sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state)),
    /** False while the progress of a running send is loading. */
    isLoaded: !isSending || progress.data !== undefined,
    sendAgain: { ...again, isOffered: !isSending && failed.length > 1 },
    fault: metrics.error ?? history.error ?? undefined,
    retry: () => {
      void metrics.refetch();
      void history.refetch();
    },
  };
};

/** While the post is being sent, a person cannot answer for an uncertain account yet. */
const stateOf = (result: Result | undefined, isSending: boolean): Target['state'] => {
  if (result === undefined || (isSending && result.uncertain)) return 'Publishing';
  if (result.ok) return 'Published';
  return result.uncertain ? 'Uncertain' : 'Failed';
};
