import type { AuditLog } from '#server/access/audit/audit-log';
import { keyOfAddress, type RateLimits } from '#server/access/auth/rate-limit';
import type { Rights } from '#server/access/auth/rights';
import type { Clock } from '#server/base/clock';
import type { Config } from '#server/base/config/config';
import type { Database } from '#server/base/store/database';
import type { Accounts } from '#server/connecting/accounts/accounts';
import type { MediaLibrary } from '#server/media/library';
import { isolateName } from '#server/messaging/notifications/isolate-name';
import type { Notifications } from '#server/messaging/notifications/notifications';
import type { Networks } from '#server/networks/registry';
import type { LinkCards } from '#server/writing/posts/link-cards';
import type { Readiness } from '#server/writing/posts/readiness';
import type { Reading } from '#server/writing/posts/reading';
import { createAdvice } from './advice.ts';
import { createAdviceStore } from './advice-store.ts';
import { createCommentStore } from './comment-store.ts';
import { createComments, type NotifyMentioned } from './comments.ts';
import { reviewRoutes } from './routes.ts';
import { createShareStore } from './share-store.ts';
import { createShares } from './shares.ts';

/** From one address, over all links. */
const advicePerHour = 30;

export const openReview = ({
  database,
  reading,
  notifications,
  rateLimits,
  config,
  clock,
  ...shared
}: {
  database: Database;
  reading: Reading;
  readiness: Readiness;
  accounts: Accounts;
  library: MediaLibrary;
  linkCards: LinkCards;
  networks: Networks;
  rights: Rights;
  audit: AuditLog;
  notifications: Notifications;
  rateLimits: Pick<RateLimits, 'create'>;
  config: Config;
  clock: Clock;
  wallClock: Clock;
}) => {
  const { baseUrl } = config;
  const notifyMentioned: NotifyMentioned = async (caller, { postId, author, userIds }) => {
    const { workspaceId, userId } = caller;
    const [first] = (await reading.get(caller, postId)).versions;
    const notification = {
      workspaceId,
      kind: 'comment.mentioned' as const,
      title: `${author} mentioned you in a comment`,
      text: first?.content[0]?.body,
      path: `/posts/${postId}?side=comments`,
      by: userId,
    };
    await notifications.tell(userIds.map((subjectId) => ({ ...notification, subjectId })));
  };
  const comments = createComments({ store: createCommentStore(database), reading, notifyMentioned, clock });
  const shares = createShares({ ...shared, baseUrl, store: createShareStore(database), reading, clock });
  const limit = rateLimits.create({ name: 'review-advice', limit: advicePerHour, windowMs: 3_600_000 });
  const advice = createAdvice({
    store: createAdviceStore(database),
    shares,
    reading,
    mayWrite: (address) => limit.mustHaveLeft(keyOfAddress(address)),
    notifyMaker: async ({ workspaceId, postId, madeBy: subjectId }, name) =>
      notifications.tell([
        {
          workspaceId,
          kind: 'review.advice',
          subjectId,
          title: 'Somebody answered on your review link',
          detail: `Under the name ${isolateName(name)}, which nobody checked.`,
          path: `/posts/${postId}?side=comments`,
        },
      ]),
    clock: shared.wallClock,
  });
  return {
    comments,
    shares,
    routes: reviewRoutes({ comments, shares, advice }),
    chores: { 'remove shares that have ended': { every: '1 hour', run: shares.purge } },
  };
};
