import { openBin } from '#server/planning/bin/slice';
import type { AskInstead } from '#server/base/context';
import { openForecast } from '#server/planning/forecast/slice';
import type { MeasureFreeBytes } from '#server/base/health/disk-space';
import { openHistory } from '#server/writing/history/slice';
import { openIdempotency } from '#server/base/idempotency/slice';
import { openLabels } from '#server/planning/labels/slice';
import { openMediaSweep } from '#server/media/open-sweep';
import { openMedia } from '#server/media/slice';
import { createUploadOnce } from '#server/media/upload-once';
import type { Outbound } from '#server/base/outbound/guarded-client';
import { openPosts } from '#server/writing/posts/slice';
import { openPresence } from '#server/planning/presence/slice';
import { openDeletedSends } from '#server/delivery/publishing/deleted-sends';
import { openReceipts } from '#server/access/receipts/slice';
import { openReview } from '#server/planning/review/slice';
import type { Seal } from '#server/base/secrets/seal';
import { openSlots } from '#server/planning/slots/slice';
import { openTemplates } from '#server/planning/templates/slice';
import { openTransfer } from '#server/planning/transfer/slice';
import type { Core } from '#server/wiring/core';
import type { Messaging } from '#server/messaging/open';
import type { Networks } from '#server/connecting/open';
import type { People } from '#server/people/open';

export type Content = ReturnType<typeof wireContent>;

/** Posts and the records around them: media, history, reviews, the bin, slots, labels, templates. */
export const wireContent = ({
  core,
  messaging,
  networks: { networks, accounts },
  people,
  outbound,
  seal,
  addressesMs,
  freeBytes,
  askInstead,
  isSending,
}: {
  core: Core;
  messaging: Messaging;
  networks: Networks;
  people: People;
  outbound: Outbound;
  seal: Seal;
  addressesMs: number | undefined;
  freeBytes: MeasureFreeBytes;
  askInstead: AskInstead;
  isSending: () => boolean;
}) => {
  const { registry, database, config, clock, wallClock, report } = core;
  const { audit } = core.audit;
  const { live } = core.live;
  const { notifications } = messaging.notifications;

  const media = registry.open(
    'media',
    openMedia({
      database,
      outbound,
      live,
      seal,
      findRole: core.auth.roleWith,
      rights: core.auth.rights,
      config,
      clock,
      wallClock,
      addressesMs,
      freeBytes,
      report,
    }),
  );
  const { library, renditions, uploads, uploadAddresses } = media;
  const mediaSweep = registry.open('media/sweep', openMediaSweep({ database, config, clock, wallClock }));
  const history = registry.open('history', openHistory({ database, library }));
  const receipts = registry.open('receipts', openReceipts({ database, seal, clock }));
  const posts = registry.open(
    'posts',
    openPosts({
      database,
      accounts: accounts.accounts,
      access: accounts.access,
      library,
      renditions,
      uploads,
      uploadAddresses,
      networks,
      rights: core.auth.rights,
      plans: core.plans.plans,
      events: messaging.webhooks.events,
      notifications,
      deletion: people.workspaces.deletion,
      live,
      revisions: history.revisions,
      receipts: receipts.receipts,
      askInstead,
      config,
      clock,
    }),
  );
  const { reading, lifecycle, drafts } = posts;

  const idempotency = registry.open('idempotency', openIdempotency({ database, clock }));
  const uploadOnce = createUploadOnce({ uploads, answers: idempotency.answers });
  const review = registry.open(
    'review',
    openReview({
      database,
      reading,
      lifecycle,
      accounts: accounts.accounts,
      library,
      linkCards: posts.linkCards,
      networks,
      rights: core.auth.rights,
      audit,
      notifications,
      rateLimits: core.auth.rateLimits,
      config,
      clock,
      wallClock,
    }),
  );
  const labels = registry.open('labels', openLabels({ database, reading, live, clock }));
  const bin = registry.open(
    'bin',
    openBin({
      database,
      rights: core.auth.rights,
      reading,
      lifecycle,
      revisions: history.revisions,
      comments: review.comments,
      sends: openDeletedSends(database),
      labels: labels.labels,
      library,
      audit,
    }),
  );
  const mediaRoutes = registry.open('media/routes', media.openMediaRoutes({ ...posts.mediaUse, uploadOnce }));
  const transfer = registry.open(
    'transfer',
    openTransfer({
      database,
      accounts: accounts.accounts,
      networks,
      library,
      uploads,
      drafts,
      lifecycle,
      labels: labels.labels,
      bin: bin.bin,
      audit,
      notifications,
      askInstead,
      config,
      clock,
    }),
  );
  const slots = registry.open('slots', openSlots({ database, accounts: accounts.accounts, live, clock }));
  const forecast = registry.open(
    'forecast',
    openForecast({
      database,
      reading,
      scheduled: posts.scheduled,
      overview: posts.overview,
      lifecycle,
      mediaUse: posts.mediaUse,
      outlooks: accounts.outlooks,
      networks,
      library,
      plans: core.plans.plans,
      slots: slots.slots,
      deletion: people.workspaces.deletion,
      notifications,
      live,
      isSending,
      clock,
      report,
    }),
  );
  const presence = registry.open('presence', openPresence({ database, reading, live }));
  const templates = registry.open('templates', openTemplates({ database, networks, live, clock }));
  return {
    media,
    mediaSweep,
    mediaRoutes,
    uploadOnce,
    history,
    receipts,
    posts,
    bin,
    idempotency,
    review,
    transfer,
    slots,
    forecast,
    labels,
    presence,
    templates,
  };
};
