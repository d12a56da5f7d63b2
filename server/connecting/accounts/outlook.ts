import type { Network, Site } from '#server/networks/network';
import type { Networks } from '#server/networks/registry';
import type { AccountStore, Refusal } from './account-store.ts';
import type { NetworkAccess } from './network-access.ts';

/** What is known about how long an account will keep working. */
export interface AccountOutlook {
  readonly id: string;
  readonly network: Network;
  readonly name: string;
  readonly status: 'Connected' | 'NeedsReconnect' | 'Disconnected';
  readonly connectedAt: string;
  /** Whether a permission to publish was granted. */
  readonly canPublish: boolean;
  /** When the sign-in ends, so that a person has to sign in again; absent when unknown. */
  readonly signInEndsAt?: string;
  /** False when the network gives no end date for what it granted. */
  readonly hasEndDate: boolean;
  readonly refusal?: Refusal;
  readonly api: ReturnType<Network['app']['api']>;
  /** The facts that the limits of the account depend on, as JSON. */
  readonly facts: string;
}

export type AccountOutlooks = ReturnType<typeof createAccountOutlooks>;

export const createAccountOutlooks = ({
  store,
  networkAccess,
  networks,
  setting,
}: {
  store: AccountStore;
  networkAccess: NetworkAccess;
  networks: Networks;
  setting: Site['setting'];
}) => ({
  /** Includes disconnected accounts; leaves out ids and networks that do not exist. Without `ids` all of the workspace. */
  of: async (workspaceId: string, ids: readonly string[] | null): Promise<ReadonlyMap<string, AccountOutlook>> => {
    const rows = await store.forForecast(workspaceId, ids);
    return new Map(
      rows.flatMap(({ account: row, refusal }): [string, AccountOutlook][] => {
        const network = networks.find(row.network);
        if (network === undefined) return [];
        const tokens = networkAccess.open(row)?.tokens;
        const isCurrent = refusal?.connectedAt === row.connectedAt;
        const { publishPermissions } = network;
        const endsAt =
          isCurrent && refusal?.kind === 'refresh' ? tokens?.expiresAt : tokens && network.signInEnd?.(tokens);
        const outlook: AccountOutlook = {
          id: row.id,
          network,
          name: row.name,
          status: row.disconnectedAt === null ? row.status : 'Disconnected',
          connectedAt: row.connectedAt,
          canPublish: publishPermissions?.some((one) => row.grantedScopes.includes(one)) ?? true,
          ...(endsAt !== undefined && { signInEndsAt: endsAt }),
          hasEndDate: tokens === undefined || tokens.expiresAt !== undefined,
          ...(isCurrent && refusal && { refusal: { kind: refusal.kind, at: refusal.at } }),
          api: network.app.api({ setting }),
          facts: JSON.stringify(row.facts),
        };
        return [[row.id, outlook]];
      }),
    );
  },
});
