import { openAccountInspection } from '#server/connecting/accounts/inspection';
import { openAudit } from '#server/access/audit/slice';
import { openAuth } from '#server/access/auth/slice';
import { openBackupInspection } from '#server/operation/backup/inspection';
import type { Clock, MovableClock } from '#server/base/clock';
import type { Config } from '#server/base/config/config';
import { openForecastInspection } from '#server/planning/forecast/inspection';
import { openHoldInspection } from '#server/operation/hold/inspection';
import { openLive } from '#server/base/live/slice';
import { openMediaInspection } from '#server/media/inspection';
import { openMessageInspection } from '#server/messaging/messages/inspection';
import { openPlans } from '#server/access/plans/slice';
import { openNetworkKeyInspection } from '#server/connecting/providers/inspection';
import { openPublishingInspection } from '#server/delivery/publishing/inspection';
import { openReceiptInspection } from '#server/access/receipts/inspection';
import { openSandboxClock } from '#server/simulation/sandbox/clock';
import { createFactorRemoval } from '#server/people/second-factors/factor-removal';
import { openFactorInspection } from '#server/people/second-factors/inspection';
import { openStatisticsInspection } from '#server/delivery/statistics/inspection';
import type { Database } from '#server/base/store/database';
import { openWebhookInspection } from '#server/messaging/webhooks/inspection';
import { openPeople } from '#server/people/workspaces/open-people';
import { createRegistry } from '#server/base/registry';

export type Core = ReturnType<typeof wireCore>;

/**
 * People and their access, the clock, and queries for operators. The service opens this theme first; most commands open
 * nothing else. It imports no network, entry point or HTTP client, because loading them would slow down every command.
 */
export const wireCore = ({
  database,
  config,
  clock,
  wallClock,
  report,
}: {
  database: Database;
  config: Config;
  /** The service's clock, which the sandbox can move. */
  clock: MovableClock;
  /** For sessions, invitations and limits of people. The sandbox does not move it. */
  wallClock: Clock;
  report: (error: unknown) => void;
}) => {
  const registry = createRegistry();
  const { production } = config;
  const audit = registry.open('audit', openAudit({ database, config, clock }));
  const live = registry.open('live', openLive({ database, report }));
  const plans = registry.open('plans', openPlans({ database, clock }));
  const auth = registry.open(
    'auth',
    openAuth({ database, audit: audit.audit, live: live.live, config, clock, wallClock }),
  );
  const people = registry.open(
    'workspaces/people',
    openPeople({
      database,
      auth,
      plans: plans.plans,
      audit: audit.audit,
      live: live.live,
      removeFactors: createFactorRemoval(database),
      config,
      wallClock,
    }),
  );

  const backupInspection = registry.open('backup/inspection', openBackupInspection({ database }));
  const holdInspection = registry.open('hold/inspection', openHoldInspection({ database }));
  const networkKeyInspection = registry.open('providers/inspection', openNetworkKeyInspection({ database }));
  registry.open('publishing/inspection', openPublishingInspection({ database }));
  registry.open('forecast/inspection', openForecastInspection({ database }));
  registry.open('media/inspection', openMediaInspection({ database }));
  registry.open('messages/inspection', openMessageInspection({ database }));
  registry.open('webhooks/inspection', openWebhookInspection({ database }));
  registry.open('second-factors/inspection', openFactorInspection({ database }));
  registry.open('receipts/inspection', openReceiptInspection({ database }));
  registry.open('statistics/inspection', openStatisticsInspection({ database }));
  const accountInspection = registry.open('accounts/inspection', openAccountInspection({ database }));

  const { hasLiveAccount } = accountInspection;
  const sandboxClock = openSandboxClock(database, { clock, production, hasLiveAccount });
  return {
    registry,
    database,
    config,
    clock,
    wallClock,
    report,
    audit,
    live,
    plans,
    auth,
    people,
    accountInspection,
    enteredKeys: networkKeyInspection.enteredKeys,
    enteredValues: networkKeyInspection.enteredValues,
    isHeld: holdInspection.isHeld,
    readHold: holdInspection.readHold,
    newestBackup: backupInspection.newestBackup,
    sandboxClock,
  };
};
