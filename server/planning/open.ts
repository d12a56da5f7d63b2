import type { Access } from '#server/access/open';
import type { Connecting } from '#server/connecting/open';
import { openDeletedSends } from '#server/delivery/publishing/deleted-sends';
import type { Media } from '#server/media/open';
import type { Messaging } from '#server/messaging/open';
import type { People } from '#server/people/open';
import { openBin } from '#server/planning/bin/slice';
import { openForecast } from '#server/planning/forecast/slice';
import { openLabels } from '#server/planning/labels/slice';
import { openPresence } from '#server/planning/presence/slice';
import { openReview } from '#server/planning/review/slice';
import { openSlots } from '#server/planning/slots/slice';
import { openTemplates } from '#server/planning/templates/slice';
import { openTransfer } from '#server/planning/transfer/slice';
import type { Writing } from '#server/writing/open';

export type Planning = ReturnType<typeof openPlanning>;

/** What surrounds posts: reviews, labels, the bin, files of posts, slots, the forecast, who is reading, templates. */
export const openPlanning = ({
  access,
  messaging,
  people,
  connecting: { networks, accounts },
  media: { media },
  writing: { history, posts },
  isSending,
}: {
  access: Access;
  messaging: Messaging;
  people: People;
  connecting: Connecting;
  media: Media;
  writing: Writing;
  isSending: () => boolean;
}) => {
  const { registry, database, config, clock, wallClock, report } = access;
  const { audit } = access.audit;
  const { live } = access.live;
  const { rights } = access.auth;
  const { notifications } = messaging.notifications;
  const { library, uploads } = media;
  const { reading, readiness, lifecycle, drafts } = posts;

  const review = registry.open(
    'review',
    openReview({
      database,
      reading,
      readiness,
      accounts: accounts.accounts,
      library,
      linkCards: posts.linkCards,
      networks,
      rights,
      audit,
      notifications,
      rateLimits: access.auth.rateLimits,
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
      rights,
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
  const transfer = registry.open(
    'transfer',
    openTransfer({
      database,
      accounts: accounts.accounts,
      networks,
      library,
      uploads,
      drafts,
      readiness,
      labels: labels.labels,
      bin: bin.bin,
      audit,
      notifications,
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
      readiness,
      mediaUse: posts.mediaUse,
      outlooks: accounts.outlooks,
      networks,
      library,
      plans: access.plans.plans,
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
  return { review, labels, bin, transfer, slots, forecast, presence, templates };
};
