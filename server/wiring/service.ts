import type { Logger } from 'pino';
import type { Identity } from '#server/access/auth/identity-provider/identity';
import { openBackups } from '#server/operation/backup/slice';
import type { Stopwatch } from '#server/base/clock';
import { type MeasureFreeBytes, measureFreeBytes } from '#server/base/health/disk-space';
import { openHold } from '#server/operation/hold/slice';
import { createScheduler } from '#server/base/jobs/scheduler';
import { createMetrics } from '#server/operation/metrics/metrics';
import type { Outbound } from '#server/base/outbound/guarded-client';
import type { Seal } from '#server/base/secrets/seal';
import { openSecrets } from '#server/base/secrets/slice';
import type { AllowedWebhooks } from '#server/messaging/webhooks/plan-limit';
import { createMembershipEnd } from '#server/people/workspaces/membership-end';
import { wireAgents } from '#server/agents/open';
import { wireContent } from '#server/planning/open';
import type { Core } from './core.ts';
import { wireDoors } from './doors.ts';
import { wireMessaging } from '#server/messaging/open';
import { wireNetworks } from '#server/connecting/open';
import { wirePeople } from '#server/people/open';
import { wirePublishing } from '#server/delivery/open';

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
  const { registry, database, report, sandboxClock, auth } = core;
  const { live } = core.live;
  const { people, welcome, userAdministration } = core.people;
  const metrics = createMetrics({ report });

  const messaging = wireMessaging({
    core,
    outbound,
    ownUrl,
    seal,
    metrics,
    log,
    allowedWebhooks,
    webhookAnswerMs,
    startStopwatch,
  });
  const networks = wireNetworks({
    core,
    messaging,
    outbound,
    seal,
    ownUrl,
    startStopwatch,
    // Lazy: people are opened after networks.
    mustProve: (...args) => peopleTheme.secondFactors.proof.mustProve(...args),
  });
  const peopleTheme = wirePeople({ core, messaging, networks, seal });
  const content = wireContent({
    core,
    messaging,
    networks,
    people: peopleTheme,
    outbound,
    seal,
    addressesMs,
    freeBytes,
    // Lazy: approvals are opened after posts, because requests are about posts.
    askInstead: (...args) => agents.approvals.askInstead(...args),
    // Lazy: publishing is opened after posts.
    isSending: () =>
      [publishing.publishing.loops.sends, messaging.webhooks.loops.deliveries].some((loop) => loop.inFlight() > 0),
  });
  const publishing = wirePublishing({ core, networks, content, metrics, startStopwatch });
  const agents = wireAgents({ core, messaging, networks, people: peopleTheme, content, publishing, ownUrl, log });

  const { workspaces, installation } = peopleTheme;
  const { messages, push } = messaging.messages;
  const { connecting } = publishing.connecting;
  const { shares } = content.review;
  // Members and posts need each other: posts check whether their workspace is about to be deleted, and a member who
  // leaves loses review links of posts. So members are opened last, when everything that ends with a membership exists.
  const memberships = createMembershipEnd({
    sessions: auth.sessions,
    tokens: auth.tokens,
    people,
    invitations: workspaces.invitations,
    shares,
    connecting,
    messages,
    live,
  });
  const forgetPerson = async (userId: string) => {
    await auth.forgetPerson(userId);
    await peopleTheme.passkeys.forgetPerson(userId);
    await peopleTheme.secondFactors.forgetPerson(userId);
    await messaging.messages.forgetPerson(userId);
    await messaging.notifications.forgetPerson(userId);
    await agents.assistant.forgetPerson(userId);
  };
  const { members, personDeletion } = registry.open(
    'workspaces/members',
    workspaces.openMembers({ ...memberships, forgetPerson }),
  );

  const { hold } = registry.open(
    'hold',
    openHold({
      database,
      publishing: publishing.publishing,
      webhooks: messaging.webhooks,
      messages: messaging.messages,
      audit: core.audit.audit,
      wallClock: core.wallClock,
    }),
  );
  const operation = {
    backup: registry.open(
      'backup',
      openBackups({
        database,
        hold,
        people,
        mustProve: peopleTheme.secondFactors.proof.mustProve,
        seal,
        mayRestore: welcome.mayRestore,
        mayTry: workspaces.mayTry,
        config: core.config,
        wallClock: core.wallClock,
        freeBytes,
        report,
      }),
    ),
  };

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
    readNetworkKeys: networks.networkKeys.read,
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
    startRules: installation.startRules,
    // Messaging.
    messages,
    push,
    notifications: messaging.notifications.notifications,
    events: messaging.webhooks.events,
    webhooks: messaging.webhooks.webhooks,
    // Networks.
    networks: networks.networks,
    providers: networks.providers,
    networkKeys: networks.networkKeys,
    accounts: networks.accounts.accounts,
    connecting,
    /** For tests: waits until all running revocations have succeeded or failed. */
    revoked: networks.accounts.revoked,
    // Content.
    uploads: content.media.uploads,
    mediaFiles: content.media.mediaFiles,
    sweepOrphans: content.mediaSweep.sweepOrphans,
    sweepIncoming: content.mediaSweep.sweepIncoming,
    reading: content.posts.reading,
    lifecycle: content.posts.lifecycle,
    drafts: content.posts.drafts,
    outcomes: content.posts.outcomes,
    shares,
    imports: content.transfer.imports,
    slots: content.slots.slots,
    receipts: content.receipts.receipts,
    answers: content.idempotency.answers,
    publishControls: publishing.publishing.publishControls,
    statistics: publishing.statistics.statistics,
    // Agents.
    actions: agents.actions,
    cards: agents.approvals.cards,
    decisions: agents.approvals.decisions,
    assistant: agents.assistant.assistant,
    sandboxes: agents.sandbox.sandboxes,
    // The process.
    sealed,
    resealing: secrets.resealing,
    discardLostSecrets: secrets.discardLost,
    backups: operation.backup.backups,
    restoring: operation.backup.restoring,
    hold,
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
        networks,
        people: peopleTheme,
        content,
        publishing,
        agents,
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
