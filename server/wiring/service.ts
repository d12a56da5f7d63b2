import type { Logger } from 'pino';
import { catalog } from '#generated/catalog';
import { sandboxes as folders } from '#generated/sandboxes';
import type { Identity } from '#server/access/auth/identity-provider/identity';
import { openReceipts } from '#server/access/receipts/slice';
import { openAgents } from '#server/agents/open';
import type { Stopwatch } from '#server/base/clock';
import { type MeasureFreeBytes, measureFreeBytes } from '#server/base/health/disk-space';
import { openIdempotency } from '#server/base/idempotency/slice';
import { createScheduler } from '#server/base/jobs/scheduler';
import type { Outbound } from '#server/base/outbound/guarded-client';
import type { Seal } from '#server/base/secrets/seal';
import { openSecrets } from '#server/base/secrets/slice';
import { openConnecting } from '#server/connecting/open';
import { openDelivery } from '#server/delivery/open';
import { openMediaRoom } from '#server/media/open';
import { openMessaging } from '#server/messaging/open';
import type { AllowedWebhooks } from '#server/messaging/webhooks/plan-limit';
import { createMetrics } from '#server/operation/metrics/metrics';
import { openOperation } from '#server/operation/open';
import { openPeopleRoom } from '#server/people/open';
import { createMembershipEnd } from '#server/people/workspaces/membership-end';
import { openPlanning } from '#server/planning/open';
import { openSimulation } from '#server/simulation/open';
import { openWriting } from '#server/writing/open';
import { approvals, createActions } from './actions.ts';
import type { Core } from './core.ts';
import { wireDoors } from './doors.ts';
import { installationParts } from './installation-parts.ts';
import { openNetworks } from './providers.ts';

export type Posthorn = ReturnType<typeof createPosthorn>;

/** What the service needs from the process that runs it. */
export interface ServiceParts {
  readonly core: Core;
  readonly outbound: Outbound;
  readonly seal: Seal;
  /** The address of this process, known once it listens. */
  readonly ownUrl: () => string;
  readonly log: Logger;
  /** For tests: how many webhooks may be active, instead of what the plan says. */
  readonly allowedWebhooks?: AllowedWebhooks;
  /** For tests: how long a receiver may take to answer. */
  readonly webhookAnswerMs?: number;
  /** Time limit for one call that fetches files from URLs. */
  readonly addressesMs?: number;
  /** For tests, which cannot fill a disk. */
  readonly freeBytes?: MeasureFreeBytes;
  /** For tests, which move time: measures the leases of sends, deliveries, messages and token refreshes. */
  readonly startStopwatch?: () => Stopwatch;
}

/** Wires all themes of the service; each may use the ones before it. */
export const createPosthorn = ({
  core,
  outbound,
  seal,
  ownUrl,
  log,
  allowedWebhooks,
  webhookAnswerMs,
  addressesMs,
  freeBytes = measureFreeBytes,
  startStopwatch,
}: ServiceParts) => {
  const { registry, database, clock, report, sandboxClock, auth } = core;
  const { live } = core.live;
  const { people, welcome, userAdministration } = core.people;
  const metrics = createMetrics({ report });

  const messaging = openMessaging({
    access: core,
    outbound,
    ownUrl,
    seal,
    metrics,
    log,
    allowedWebhooks,
    webhookAnswerMs,
    startStopwatch,
  });
  const { factors, openWorkspaces } = openPeopleRoom({ access: core, people: core.people, messaging, seal });
  const connecting = openConnecting({
    access: core,
    people: core.people,
    messaging,
    networks: openNetworks(),
    outbound,
    seal,
    ownUrl,
    startStopwatch,
    mustProve: factors.proof.mustProve,
  });
  const peopleRoom = openWorkspaces({ leaving: connecting.accounts.accounts.prepareRevocation });
  const { workspaces } = peopleRoom;
  const media = openMediaRoom({ access: core, outbound, seal, addressesMs, freeBytes });
  const receipts = registry.open('receipts', openReceipts({ database, seal, clock }));
  const idempotency = registry.open('idempotency', openIdempotency({ database, clock }));
  const writing = openWriting({
    access: core,
    messaging,
    people: peopleRoom,
    connecting,
    media,
    receipts,
    idempotency,
  });
  const delivery = openDelivery({ access: core, connecting, media, writing, metrics, startStopwatch });
  const planning = openPlanning({
    access: core,
    messaging,
    people: peopleRoom,
    connecting,
    media,
    writing,
    isSending: () =>
      [delivery.publishing.loops.sends, messaging.webhooks.loops.deliveries].some((loop) => loop.inFlight() > 0),
  });
  const agents = openAgents({
    access: core,
    people: core.people,
    factors,
    messaging,
    connecting,
    media,
    writing,
    planning,
    receipts,
    catalog,
    approvals,
    prepareActions: (ofAgents) =>
      createActions({ access: core, connecting, media, writing, planning, delivery }, ofAgents),
    log,
  });
  const simulation = openSimulation({
    access: core,
    people: core.people,
    messaging,
    connecting,
    delivery,
    writing,
    agents,
    folders,
    ownUrl,
    sandboxClock,
  });

  const { messages, push } = messaging.messages;
  const { shares } = planning.review;
  // Members and posts need each other: posts check whether their workspace is about to be deleted, and a member who
  // leaves loses review links of posts. So members are opened last, when everything that ends with a membership exists.
  const memberships = createMembershipEnd({
    sessions: auth.sessions,
    tokens: auth.tokens,
    people,
    invitations: workspaces.invitations,
    shares,
    connecting: delivery.connecting.connecting,
    messages,
    live,
  });
  const forgetPerson = async (userId: string) => {
    await auth.forgetPerson(userId);
    await factors.forgetPerson(userId);
    await messaging.messages.forgetPerson(userId);
    await messaging.notifications.forgetPerson(userId);
    await agents.assistant.forgetPerson(userId);
  };
  const { members, personDeletion } = registry.open(
    'workspaces/members',
    workspaces.openMembers({ ...memberships, forgetPerson }),
  );

  const operation = openOperation({
    access: core,
    people: core.people,
    peopleRoom,
    messaging,
    connecting,
    delivery,
    parts: installationParts(core),
    readHold: core.readHold,
    seal,
    freeBytes,
  });

  const sealed = registry.sealed();
  const secrets = registry.open(
    'secrets',
    openSecrets({ database, columns: sealed, discards: registry.discards(), seal, report }),
  );
  const chores = registry.chores();
  const jobs = createScheduler({
    database,
    loops: registry.loops(),
    chores,
    clock: sandboxClock,
    isHeld: core.isHeld,
    readNetworkKeys: connecting.networkKeys.read,
    report,
  });
  metrics.watchBackups(operation.backup.backups.goodAgeSeconds);
  metrics.watch({ jobs, database, live });

  return {
    // People and their access.
    audit: core.audit.audit,
    live,
    plans: core.plans.plans,
    sandboxClock,
    tokens: auth.tokens,
    sessions: auth.sessions,
    clients: auth.clients,
    registrations: auth.registrations,
    tries: auth.tries,
    rateLimits: auth.rateLimits,
    people,
    welcome,
    userAdministration,
    members,
    personDeletion,
    memberships,
    invitations: workspaces.invitations,
    deletion: workspaces.deletion,
    startRules: operation.installation.startRules,
    // Messaging.
    messages,
    push,
    notifications: messaging.notifications.notifications,
    events: messaging.webhooks.events,
    webhooks: messaging.webhooks.webhooks,
    // Networks.
    networks: connecting.networks,
    providers: connecting.providers,
    networkKeys: connecting.networkKeys,
    accounts: connecting.accounts.accounts,
    connecting: delivery.connecting.connecting,
    /** For tests: waits until all running revocations have succeeded or failed. */
    revoked: connecting.accounts.revoked,
    // Content.
    uploads: media.media.uploads,
    mediaFiles: media.media.mediaFiles,
    sweepOrphans: media.sweep.sweepOrphans,
    sweepIncoming: media.sweep.sweepIncoming,
    reading: writing.posts.reading,
    lifecycle: writing.posts.lifecycle,
    drafts: writing.posts.drafts,
    outcomes: writing.posts.outcomes,
    shares,
    imports: planning.transfer.imports,
    slots: planning.slots.slots,
    receipts: receipts.receipts,
    answers: idempotency.answers,
    publishControls: delivery.publishing.publishControls,
    statistics: delivery.statistics.statistics,
    // Agents.
    actions: agents.actions,
    cards: agents.approvals.cards,
    decisions: agents.approvals.decisions,
    assistant: agents.assistant.assistant,
    sandboxes: simulation.sandboxes,
    // The process.
    sealed,
    resealing: secrets.resealing,
    discardLostSecrets: secrets.discardLost,
    backups: operation.backup.backups,
    restoring: operation.backup.restoring,
    hold: operation.hold.hold,
    chores,
    jobs,
    openIdentity: () =>
      auth.openIdentity({
        openedLast: people.openedLast,
        distrustTokens: people.distrustTokens,
        outbound,
        seal,
        log,
      }),
    openDoors: (identity: Identity) =>
      wireDoors({
        core,
        messaging,
        connecting,
        people: peopleRoom,
        media,
        writing,
        delivery,
        planning,
        idempotency,
        receipts,
        agents,
        simulation,
        operation,
        members,
        personDeletion,
        jobs,
        identity,
        metrics,
        log,
      }),
    close: registry.close,
  };
};
