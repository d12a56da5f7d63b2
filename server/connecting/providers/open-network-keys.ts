import type { AuditLog } from '#server/access/audit/audit-log';
import type { Clock } from '#server/base/clock';
import type { Config } from '#server/base/config/config';
import type { Live } from '#server/base/live/live';
import type { Seal } from '#server/base/secrets/seal';
import type { ProofOfPerson } from '#server/base/signed-in';
import type { Database } from '#server/base/store/database';
import type { Networks } from '#server/networks/registry';
import type { Sites } from '#server/networks/sites';
import { createEnteredKeys } from './entered-keys.ts';
import { createNetworkKeys } from './network-keys.ts';
import { networkKeyRoutes } from './routes.ts';
import { createNetworkKeyStore } from './store.ts';

/** Separate from the slice, which `doctor` opens without a database. */
export const openEnteredKeys = ({
  database,
  networks,
  config: { baseUrl, setting: environment },
  live,
  seal,
  report,
}: {
  database: Database;
  networks: Networks;
  config: Config;
  live: Live;
  seal: Seal;
  report: (error: unknown) => void;
}) => {
  const store = createNetworkKeyStore(database);
  const entered = createEnteredKeys({ store, networks, environment, live, seal, report });
  return {
    setting: entered.setting,
    // The operator enters them again.
    discards: { 'network_keys.sealed_values': store.remove },

    /** Opened after the sites, which read the credentials and on which new ones are tried. */
    openNetworkKeys: ({
      sites,
      people: { mustBeOperator, operatorName },
      mustProve,
      audit,
      wallClock: clock,
    }: {
      sites: Sites;
      people: { mustBeOperator(userId: string, does: string): Promise<void>; operatorName(): Promise<string> };
      mustProve: ProofOfPerson['mustProve'];
      audit: AuditLog;
      wallClock: Clock;
    }) => {
      const { publish } = live;
      const networkKeys = createNetworkKeys({
        store,
        entered,
        sites,
        environment,
        baseUrl,
        audit,
        publish,
        seal,
        clock,
      });
      return { networkKeys, routes: networkKeyRoutes({ networkKeys, mustBeOperator, mustProve, operatorName }) };
    },
  };
};
