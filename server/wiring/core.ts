import { openAccess } from '#server/access/open';
import { openReceiptInspection } from '#server/access/receipts/inspection';
import { openAccountInspection } from '#server/connecting/accounts/inspection';
import { openNetworkKeyInspection } from '#server/connecting/providers/inspection';
import { openPublishingInspection } from '#server/delivery/publishing/inspection';
import { openStatisticsInspection } from '#server/delivery/statistics/inspection';
import { openMediaInspection } from '#server/media/inspection';
import { openMessageInspection } from '#server/messaging/messages/inspection';
import { openWebhookInspection } from '#server/messaging/webhooks/inspection';
import { openBackupInspection } from '#server/operation/backup/inspection';
import { openHoldInspection } from '#server/operation/hold/inspection';
import { createFactorRemoval } from '#server/people/factors/factor-removal';
import { openFactorInspection } from '#server/people/factors/inspection';
import { openPeople } from '#server/people/workspaces/open-people';
import { openForecastInspection } from '#server/planning/forecast/inspection';
import { openSandboxClock } from '#server/simulation/sandbox/clock';

export type Core = ReturnType<typeof wireCore>;

/**
 * People and their access, the clock, and queries for operators. The service opens this theme first; most commands open
 * nothing else. It imports no network, entry point or HTTP client, because loading them would slow down every command.
 */
export const wireCore = (base: Parameters<typeof openAccess>[0]) => {
  const access = openAccess(base);
  const { registry, database, config, clock, wallClock, auth, plans, audit, live } = access;
  const { production } = config;
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
  registry.open('factors/inspection', openFactorInspection({ database }));
  registry.open('receipts/inspection', openReceiptInspection({ database }));
  registry.open('statistics/inspection', openStatisticsInspection({ database }));
  const accountInspection = registry.open('accounts/inspection', openAccountInspection({ database }));

  const { hasLiveAccount } = accountInspection;
  const sandboxClock = openSandboxClock(database, { clock, production, hasLiveAccount });
  return {
    ...access,
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
