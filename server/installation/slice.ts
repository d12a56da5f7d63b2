import type { AuditLog } from '#server/audit/audit-log';
import type { Config } from '#server/config/config';
import type { Network } from '#server/networks/network';
import type { Networks } from '#server/networks/registry';
import type { Database } from '#server/store/database';
import { databaseRules, type InstallationParts, localRules } from './check-installation.ts';
import { createReadInstallation } from './read-installation.ts';
import { installationRoutes } from './routes.ts';

export const openInstallation = ({
  database,
  audit,
  due,
  checks,
  config,
  networks: { all: networks },
  providers: { isLive },
  people: { isOperator, mustBeOperator },
  isHeld,
  readHold,
  newestBackup,
}: {
  database: Database;
  audit: AuditLog;
  due: InstallationParts['due'];
  checks: InstallationParts['checks'];
  config: Config;
  networks: Networks;
  providers: { isLive(network: Network): boolean };
  people: {
    isOperator(userId: string): Promise<boolean>;
    mustBeOperator(userId: string, does: string): Promise<void>;
  };
  readHold: Parameters<typeof installationRoutes>[0]['readHold'];
} & Pick<InstallationParts, 'isHeld' | 'newestBackup'>) => {
  const parts = { database, audit, due, checks, config, networks, isLive, isHeld, newestBackup };
  return {
    /** What a start logs unless it is ok. */
    startRules: async () => [...localRules(parts), ...(await databaseRules(parts))].filter(({ atStart }) => atStart),
    routes: installationRoutes({ read: createReadInstallation(parts), isOperator, mustBeOperator, readHold, audit }),
  };
};
