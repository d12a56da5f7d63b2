import type { AuditLog } from '#server/access/audit/audit-log';
import type { Clock } from '#server/base/clock';
import type { Config } from '#server/base/config/config';
import type { Live } from '#server/base/live/live';
import type { Seal } from '#server/base/secrets/seal';
import type { ProofOfPerson } from '#server/base/signed-in';
import type { Database } from '#server/base/store/database';
import type { Networks } from '#server/networks/registry';
import type { Sites } from '#server/networks/sites';
import { createNetworkKeys } from './network-keys.ts';
import { networkKeyRoutes } from './routes.ts';
import { createNetworkKeyStore } from './store.ts';

/** Separate from the slice, which `doctor` opens without a database. */
export const openNetworkKeys = ({
  database,
  networks,
  sites,
  people: { mustBeOperator, operatorName },
  mustProve,
  config: { baseUrl, setting: environment },
  audit,
  live,
  seal,
  wallClock: clock,
  report,
}: {
  database: Database;
  networks: Networks;
  /** Lazy, because the sites themselves read the credentials. */
  sites: () => Sites;
  people: { mustBeOperator(userId: string, does: string): Promise<void>; operatorName(): Promise<string> };
  mustProve: ProofOfPerson['mustProve'];
  config: Config;
  audit: AuditLog;
  live: Live;
  seal: Seal;
  wallClock: Clock;
  report: (error: unknown) => void;
}) => {
  const store = createNetworkKeyStore(database);
  const networkKeys = createNetworkKeys({
    store,
    networks,
    environment,
    baseUrl,
    tryKeys: (network, registration, redirectUri) =>
      network.app.tryCredentials?.(sites().live(network, { registration }), redirectUri),
    audit,
    publish: live.publish,
    seal,
    clock,
    report,
  });
  // Runs before the open tabs of this instance are notified.
  live.onChange(({ kind }) => {
    if (kind === 'provider') networkKeys.read().catch(report);
  });
  return {
    networkKeys,
    routes: networkKeyRoutes({ networkKeys, mustBeOperator, mustProve, operatorName }),
    // The operator enters them again.
    discards: { 'network_keys.sealed_values': store.remove },
  };
};
