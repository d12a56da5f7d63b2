import type { Accounts } from '#server/accounts/accounts';
import type { AuditLog } from '#server/audit/audit-log';
import type { Clock } from '#server/clock';
import type { Config } from '#server/config/config';
import type { MediaLibrary } from '#server/media/library';
import type { Networks } from '#server/networks/registry';
import type { Notifications } from '#server/notifications/notifications';
import type { Lifecycle } from '#server/posts/lifecycle';
import type { LinkCards } from '#server/posts/link-cards';
import type { Reading } from '#server/posts/reading';
import type { Database } from '#server/store/database';
import { createComments, type NotifyMentioned } from './comments.ts';
import { reviewRoutes } from './routes.ts';
import { createShares } from './shares.ts';
import { createCommentStore, createShareStore } from './store.ts';

export const openReview = ({
  database,
  reading,
  notifications,
  config,
  clock,
  ...shared
}: {
  database: Database;
  reading: Reading;
  lifecycle: Lifecycle;
  accounts: Accounts;
  library: MediaLibrary;
  linkCards: LinkCards;
  networks: Networks;
  audit: AuditLog;
  notifications: Notifications;
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
  return {
    comments,
    shares,
    routes: reviewRoutes({ comments, shares }),
    chores: { 'remove shares that have ended': { every: '1 hour', run: shares.purge } },
  };
};
