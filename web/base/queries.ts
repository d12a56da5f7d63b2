import { MutationCache, notifyManager, onlineManager, QueryClient, queryOptions } from '@tanstack/react-query';
import { isAlreadyDone, isPosthornError, type Post, type PostsListInput } from '#generated/app-client';
import { actions, app } from './api.ts';
import { faultOf, isRetryable } from './faults.ts';
import { refetchOutdatedAnswers } from './refetch-outdated-answers.ts';

/** The first part of a key is the domain; a live event refetches all queries of its domain. */
export const keys = {
  session: ['session'],
  entrance: ['entrance'],
  members: ['members'],
  clock: ['clock'],
  plan: ['plan'],
  providers: ['providers'],
  limits: ['providers', 'limits'],
  accounts: ['accounts'],
  connectForm: (network: string) => ['connect', network],
  choices: (id: string) => ['connect', 'choices', id],
  approvals: ['approvals'],
  passkeys: ['passkeys'],
  factors: ['factors'],
  approvalPages: ['approvals', 'pages'],
  approval: (id: string) => ['approvals', id],
  receipt: (id: string) => ['approvals', id, 'receipt'],
  posts: (input: PostsListInput) => ['posts', 'list', input],
  search: (input: object) => ['posts', 'search', input],
  counts: (input: object) => ['posts', 'counts', input],
  bin: ['posts', 'bin'],
  movePlan: (input: object) => ['posts', 'plan', input],
  post: (id: string) => ['posts', 'one', id],
  editor: (id: string) => ['posts', 'editor', id],
  late: (minute: number) => ['posts', 'late', minute],
  forecast: (zone: string) => ['posts', 'forecast', zone],
  lastAccounts: ['posts', 'last-accounts'],
  scheduledByAccount: ['posts', 'scheduled'],
  willFail: (accountId: string) => ['posts', 'scheduled', accountId],
  progress: (id: string) => ['posts', 'progress', id],
  metrics: (id: string) => ['posts', 'metrics', id],
  history: (id: string) => ['posts', 'history', id],
  changes: (id: string) => ['posts', 'changes', id],
  revision: (id: string, number: number) => ['posts', 'changes', id, number],
  presence: (id: string) => ['presence', id],
  comments: (id: string) => ['comments', id],
  advice: (id: string) => ['comments', 'advice', id],
  shares: (id: string) => ['shares', id],
  analytics: (input: object) => ['analytics', input],
  slots: ['slots'],
  nextSlot: (input: object) => ['slots', 'next', input],
  freeSlots: (input: object) => ['slots', 'free', input],
  labels: ['labels'],
  postLabels: (id: string) => ['posts', 'labels', id],
  templates: ['templates'],
  template: (id: string) => ['templates', id],
  media: ['media'],
  webhooks: ['webhooks'],
  webhook: (id: string) => ['webhooks', id],
  deliveries: (id: string) => ['webhooks', id, 'deliveries'],
  delivery: (id: string, deliveryId: string) => ['webhooks', id, 'deliveries', deliveryId],
  tokens: ['tokens'],
  clients: ['clients'],
  invitations: ['invitations'],
  audit: ['audit'],
  serverAudit: ['serverAudit'],
  sessions: ['sessions'],
  sandbox: ['sandbox'],
  notificationList: ['notifications', 'list'],
  notificationCount: ['notifications', 'count'],
  notificationChoices: ['notification-choices'],
  imports: ['imports'],
  import: (id: string) => ['imports', id],
  importRows: (id: string, show: string) => ['imports', id, 'rows', show],
  exportCount: (input: object) => ['posts', 'export', input],
  chats: ['chats', 'list'],
  chat: (id: string) => ['chats', 'one', id],
  seen: ['seen'],
  installation: ['installation'],
  backups: ['backups'],
  networkKeys: ['network-keys'],
} as const;

/**
 * All open requests, and some decided ones. Open ones come first, so if a page ends with one, the next page may have
 * more.
 */
const listOpenApprovals = async (signal: AbortSignal) => {
  let page = await app.listApprovals({}, { signal });
  const cards = [...page.cards];
  while (page.nextCursor !== undefined && page.cards.at(-1)?.status === 'Open') {
    page = await app.listApprovals({ cursor: page.nextCursor }, { signal });
    cards.push(...page.cards);
  }
  return { cards };
};

/**
 * Queries that several pages share. Others are in the folder of their page. `meta.part`: pages show no error for it, so
 * the shell names it in a banner when it cannot be loaded.
 */
export const queries = {
  session: queryOptions({ queryKey: keys.session, queryFn: ({ signal }) => app.getSession({ signal }) }),
  entrance: queryOptions({
    queryKey: keys.entrance,
    queryFn: ({ signal }) => app.readEntrance({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
  }),
  members: queryOptions({
    queryKey: keys.members,
    queryFn: ({ signal }) => app.listMembers({ signal }),
    meta: { part: 'members' },
  }),
  factors: queryOptions({ queryKey: keys.factors, queryFn: ({ signal }) => app.readFactors({ signal }) }),
  clock: queryOptions({ queryKey: keys.clock, queryFn: ({ signal }) => app.readSandboxClock({ signal }) }),
  approvals: queryOptions({
    queryKey: keys.approvals,
    queryFn: ({ signal }) => listOpenApprovals(signal),
    meta: { part: 'approval requests' },
  }),
  accounts: queryOptions({
    queryKey: keys.accounts,
    queryFn: ({ signal }) => actions.accounts.list({}, { signal }),
    meta: { part: 'accounts' },
  }),
  notificationCount: queryOptions({
    queryKey: keys.notificationCount,
    queryFn: ({ signal }) => app.countNotifications({ signal }),
  }),
  plan: queryOptions({ queryKey: keys.plan, queryFn: ({ signal }) => app.getPlan({ signal }) }),
  webhooks: queryOptions({ queryKey: keys.webhooks, queryFn: ({ signal }) => app.listWebhooks({ signal }) }),
  // Refetched by the live event `provider`, when the operator has entered or removed keys.
  providers: queryOptions({
    queryKey: keys.providers,
    queryFn: ({ signal }) => actions.providers.list({}, { signal }),
    meta: { part: 'networks' },
    staleTime: Number.POSITIVE_INFINITY,
  }),
  limits: queryOptions({
    queryKey: keys.limits,
    queryFn: ({ signal }) => actions.providers.limits({}, { signal }),
    meta: { part: 'limits of networks' },
    staleTime: Number.POSITIVE_INFINITY,
  }),
  lastAccounts: queryOptions({
    queryKey: keys.lastAccounts,
    queryFn: ({ signal }) => app.getLastAccounts({ signal }),
  }),
  forecast: (timeZone: string) =>
    queryOptions({
      queryKey: keys.forecast(timeZone),
      queryFn: ({ signal }) => app.getForecast({ timeZone }, { signal }),
    }),
  slots: queryOptions({ queryKey: keys.slots, queryFn: ({ signal }) => app.listSlots({ signal }) }),
  labels: queryOptions({
    queryKey: keys.labels,
    queryFn: ({ signal }) => app.listLabels({ signal }),
    meta: { part: 'labels' },
  }),
  templates: queryOptions({ queryKey: keys.templates, queryFn: ({ signal }) => app.listTemplates({ signal }) }),
  post: (id: string) =>
    queryOptions({ queryKey: keys.post(id), queryFn: ({ signal }) => actions.posts.get({ id }, { signal }) }),
};

/** An answer may arrive after the event of a later change. Keeps and returns the newer version. */
export const keepPost = (client: QueryClient, answer: Post): Post =>
  client.setQueryData<Post>(keys.post(answer.id), (cached) =>
    cached && cached.updatedAt > answer.updatedAt ? cached : answer,
  ) ?? answer;

// Notify before the next paint: otherwise a controlled checkbox flips back for a frame after each click.
notifyManager.setScheduler(queueMicrotask);

export const queryClient = new QueryClient({
  mutationCache: new MutationCache({
    // Without an answer the change may have been made. Refetch, so that the page shows it before the person tries again;
    // offline, refetch when the connection is back.
    onError: (error) => {
      if (faultOf(error).code !== 'NoAnswer' && !isAlreadyDone(error)) return;
      void queryClient.invalidateQueries({ refetchType: onlineManager.isOnline() ? 'active' : 'none' });
    },
  }),
  defaultOptions: {
    // In other modes TanStack Query pauses while the browser reports offline: a click gives no feedback and acts
    // minutes later. A server on the local network may still be reachable.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      refetchOnReconnect: true,
      staleTime: 30_000,
      retry: (failures, error) => failures < 3 && isRetryable(error),
      retryDelay: (failures, error) =>
        isPosthornError(error, 'TooManyRequests')
          ? (error.retryAfterMs ?? 30_000)
          : Math.min(1000 * 2 ** failures, 15_000),
    },
  },
});
refetchOutdatedAnswers(queryClient);
