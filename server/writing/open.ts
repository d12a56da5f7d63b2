import type { Access } from '#server/access/open';
import type { openReceipts } from '#server/access/receipts/slice';
import type { openIdempotency } from '#server/base/idempotency/slice';
import type { Connecting } from '#server/connecting/open';
import type { Media } from '#server/media/open';
import { createUploadOnce } from '#server/media/upload-once';
import type { Messaging } from '#server/messaging/open';
import type { People } from '#server/people/open';
import { openHistory } from '#server/writing/history/slice';
import { openPosts } from '#server/writing/posts/slice';

export type Writing = ReturnType<typeof openWriting>;

/** Posts, their history, and which of them use a file of the library. */
export const openWriting = ({
  access,
  messaging,
  people,
  connecting: { networks, accounts },
  media: { media },
  receipts,
  idempotency,
}: {
  access: Access;
  messaging: Messaging;
  people: People;
  connecting: Connecting;
  media: Media;
  receipts: ReturnType<typeof openReceipts>;
  idempotency: ReturnType<typeof openIdempotency>;
}) => {
  const { registry, database, config, clock } = access;
  const { library, fittedFiles, uploads, uploadAddresses } = media;
  const history = registry.open('history', openHistory({ database, library }));
  const posts = registry.open(
    'posts',
    openPosts({
      database,
      accounts: accounts.accounts,
      access: accounts.access,
      library,
      fittedFiles,
      uploads,
      uploadAddresses,
      networks,
      rights: access.auth.rights,
      plans: access.plans.plans,
      events: messaging.webhooks.events,
      notifications: messaging.notifications.notifications,
      deletion: people.workspaces.deletion,
      live: access.live.live,
      revisions: history.revisions,
      receipts: receipts.receipts,
      config,
      clock,
    }),
  );
  const uploadOnce = createUploadOnce({ uploads, answers: idempotency.answers });
  const mediaRoutes = registry.open('media/routes', media.openMediaRoutes({ ...posts.mediaUse, uploadOnce }));
  return { history, posts, uploadOnce, mediaRoutes };
};
