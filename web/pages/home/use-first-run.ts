import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { PostSummary } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys, queries } from '#web/base/queries.ts';
import { usePermissions, useWorkspace } from '#web/base/session.ts';

/** After that many sent posts nobody needs onboarding. */
const onboardingPosts = 4;
const pollMs = 1000;
const storeKey = (workspaceId: string) => `posthorn-first-run-hidden ${workspaceId}`;

export interface Steps {
  hasAccount: boolean;
  /** The latest sent post. */
  sent?: PostSummary | undefined;
  wasAsked: boolean;
}

type FirstRunState =
  | { state: 'unknown' }
  | { state: 'fault'; fault: unknown; retry: () => void }
  | { state: 'shown'; steps: Steps; hide: () => void }
  | { state: 'over' };

/** Onboarding of a new workspace. Hiding it is final in this browser. */
export const useFirstRun = (): FirstRunState => {
  const { id } = useWorkspace();
  const { canWrite } = usePermissions();
  const [isHidden, setIsHidden] = useState(() => localStorage.getItem(storeKey(id)) !== null);
  const accounts = useQuery(queries.accounts);
  const approvals = useQuery(queries.approvals);
  const input = { group: 'Sent' } as const;
  const sentPosts = useQuery({
    queryKey: keys.search({ ...input, first: true }),
    queryFn: ({ signal }) => app.searchPosts(input, { signal }),
    refetchInterval: ({ state }) => (state.data?.posts[0]?.status === 'Publishing' ? pollMs : false),
  });
  // Wait for these too: the first step lists networks, which would push the other steps down when they load.
  const providers = useQuery(queries.providers);
  const limits = useQuery(queries.limits);
  const reads = [accounts, approvals, sentPosts, providers, limits];
  if (!canWrite || isHidden) return { state: 'over' };
  const failed = reads.find(({ error, data }) => error !== null && data === undefined);
  if (failed) {
    const retry = () => {
      for (const read of reads) void read.refetch();
    };
    return { state: 'fault', fault: failed.error, retry };
  }
  if (!accounts.data || !approvals.data || !sentPosts.data || !providers.data || !limits.data)
    return { state: 'unknown' };
  const steps: Steps = {
    hasAccount: accounts.data.accounts.length > 0,
    sent: sentPosts.data.posts[0],
    wasAsked: approvals.data.cards.length > 0,
  };
  const isOver = sentPosts.data.posts.length >= onboardingPosts || (steps.hasAccount && steps.sent && steps.wasAsked);
  // Remembered, so that the next visit need not wait to know which page it is.
  if (isOver) localStorage.setItem(storeKey(id), '1');
  if (isOver) return { state: 'over' };
  const hide = () => {
    localStorage.setItem(storeKey(id), '1');
    setIsHidden(true);
  };
  return { state: 'shown', steps, hide };
};
