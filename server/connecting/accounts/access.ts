import { randomUUID } from 'node:crypto';
import { instantOf } from '#contracts/instant';
import { dayMs } from '#contracts/time';
import type { Clock, Stopwatch } from '#server/base/clock';
import type { DueWork } from '#server/base/jobs/due-loop';
import { jsonOf } from '#server/base/json/json-text';
import type { Live } from '#server/base/live/live';
import { retryUntil } from '#server/base/store/retry';
import type { Notifications } from '#server/messaging/notifications/notifications';
import type { Events } from '#server/messaging/webhooks/events';
import type { Network, NetworkAccount, Site, Tokens } from '#server/networks/network';
import type { Networks } from '#server/networks/registry';
import { asTrouble, NetworkTrouble } from '#server/networks/trouble';
import type { AccountRow } from './account-row.ts';
import type { AccountStore, Refusal } from './account-store.ts';
import { toAccount } from './accounts.ts';
import type { NetworkAccess } from './network-access.ts';
import { toStorableProfile } from './storable-account.ts';

const minLeaseMs = 90_000;
const retryMs = 10 * 60_000;
const busyMs = 2_000;
const lastMomentMs = 60_000;

export interface OpenAccess {
  readonly is: 'open';
  readonly network: Network;
  readonly account: NetworkAccount;
  readonly site: Site;
}

export type Access =
  | OpenAccess
  /** Another process is refreshing the tokens right now. */
  | { readonly is: 'busy'; readonly forMs: number }
  /** The network issued no new tokens; a later attempt may succeed. */
  | { readonly is: 'trouble'; readonly trouble: NetworkTrouble }
  /** The person has to reconnect the account. */
  | { readonly is: 'refused' };

/**
 * What to do when a refresh is refused: disconnect the account, use its tokens until they expire, or only report it.
 */
type WhenRefused = 'disconnect' | 'useUntilExpiry' | 'report';

/** A lease on refreshing the tokens. `mayBegin` is false once a request could outlive the lease. */
interface Claim {
  readonly id: string;
  readonly mayBegin: () => boolean;
}

export type AccountAccess = ReturnType<typeof createAccountAccess>;

/** Provides access to the network of an account: opens its tokens, refreshes them in time, handles revoked ones. */
export const createAccountAccess = ({
  store,
  networkAccess,
  networks,
  events,
  notifications,
  live,
  networkTimeoutMs,
  clock,
  startStopwatch,
  report,
}: {
  store: AccountStore;
  networkAccess: NetworkAccess;
  networks: Networks;
  events: Events;
  notifications: Notifications;
  live: Live;
  networkTimeoutMs: number;
  clock: Clock;
  startStopwatch: () => Stopwatch;
  report: (error: unknown) => void;
}) => {
  const leaseMs = Math.max(minLeaseMs, 3 * networkTimeoutMs);

  const newClaim = (): Claim => {
    const sinceClaimed = startStopwatch();
    return { id: randomUUID(), mayBegin: () => sinceClaimed() < leaseMs - networkTimeoutMs };
  };

  const isDue = ({ expiresAt }: Tokens, aheadMs: number) =>
    expiresAt !== undefined && Date.parse(expiresAt) - clock.now().getTime() <= aheadMs;

  /** At least once a day, and before the tokens expire. */
  const nextRefreshMs = (network: Network, { expiresAt }: Tokens) =>
    expiresAt === undefined
      ? dayMs
      : Math.max(Math.min(Date.parse(expiresAt) - network.refreshAheadMs - clock.now().getTime(), dayMs), 1000);

  /** SPEC, account.disconnected: the event is written once, in the transaction of the change. */
  const refuse = (row: AccountRow, why = `${networks.get(row.network).name} no longer accepts our access.`) =>
    store.transaction(async () => {
      if (!(await store.refuse(row.id, row.tokens))) return;
      const account = { ...toAccount(row, networks.get(row.network)), status: 'NeedsReconnect' as const };
      await events.write([{ workspaceId: row.workspaceId, type: 'account.disconnected', data: jsonOf({ account }) }]);
      await notifications.tell([
        {
          workspaceId: row.workspaceId,
          kind: 'account.reconnect',
          subjectId: row.id,
          title: `${account.provider} needs to be connected again: ${account.name}`,
          detail: `${why} Posts to ${account.handle} fail until an admin reconnects it.`,
          path: '/accounts',
        },
      ]);
      const text = `${account.provider} needs to be connected again: ${account.name}`;
      await live.publish({ workspaceId: row.workspaceId, kind: 'account', id: row.id, text });
    });

  /** Does not disconnect the account: only publishing, or expired tokens, may do that. */
  const noteRefusal = (row: AccountRow, kind: Refusal['kind']) =>
    store.setRefusal(row, { kind, at: instantOf(clock.now()) });

  /** The caller holds the claim. If the network sends no new refresh token, the old one stays valid. */
  const renew = async (row: AccountRow, claim: Claim, whenRefused: WhenRefused): Promise<Access> => {
    const network = networks.get(row.network);
    const account = networkAccess.open(row);
    if (account === undefined) return { is: 'refused' };
    try {
      const site = await networkAccess.siteOf(network, row);
      const fresh = await network.refresh(guarded(site, claim), account);
      const refreshToken = fresh.refreshToken ?? account.tokens.refreshToken;
      const { registration } = account.tokens;
      const tokens: Tokens = {
        ...fresh,
        ...(refreshToken !== undefined && { refreshToken }),
        ...(registration && { registration }),
      };
      const sealed = { new: networkAccess.sealTokens(row.id, tokens), old: row.tokens };
      await retryUntil(leaseMs, () => store.saveRefreshed(row.id, claim.id, sealed, nextRefreshMs(network, tokens)));
      await store.setRefusal(row, null);
      return { is: 'open', network, site, account: { ...account, tokens } };
    } catch (error) {
      const trouble = withAppAtFault(network, asTrouble(error, report));
      const isFinal = trouble.kind === 'token' || trouble.kind === 'permission';
      if (isFinal && whenRefused === 'disconnect') {
        await refuse(row);
        return { is: 'refused' };
      }
      if (isFinal && whenRefused === 'useUntilExpiry') await noteRefusal(row, 'refresh');
      const untilExpiryMs = Date.parse(account.tokens.expiresAt ?? '') - clock.now().getTime();
      const retryAfterRefusalMs =
        whenRefused === 'report' ? nextRefreshMs(network, account.tokens) : Math.max(untilExpiryMs, 1000);
      await store.endRefresh(row.id, claim.id, isFinal ? retryAfterRefusalMs : retryMs);
      return { is: 'trouble', trouble };
    }
  };

  /** Cached by row, because many sends share one, and each site needs the registration from the database. */
  const sites = new WeakMap<AccountRow, Promise<Site>>();
  const siteOf = (network: Network, row: AccountRow) => {
    const site = sites.get(row) ?? networkAccess.siteOf(network, row);
    sites.set(row, site);
    return site;
  };

  const accessFor = (whenRefused: WhenRefused) => {
    const claimAndRenew = async (id: string): Promise<Access> => {
      const claim = newClaim();
      const row = await store.claimRefresh(id, claim.id, leaseMs);
      if (row) return renew(row, claim, whenRefused);
      const current = await store.get(id);
      const refused = current === undefined || current.status !== 'Connected' || current.disconnectedAt !== null;
      return refused ? { is: 'refused' } : { is: 'busy', forMs: busyMs };
    };

    const open = async (row: AccountRow): Promise<Access> => {
      const network = networks.get(row.network);
      const account = networkAccess.open(row);
      if (account === undefined || row.status !== 'Connected') return { is: 'refused' };
      if (isDue(account.tokens, Math.min(network.refreshAheadMs, lastMomentMs))) return claimAndRenew(row.id);
      return { is: 'open', network, account, site: await siteOf(network, row) };
    };

    return {
      open,

      /** Call it after the network refused tokens that had not expired. */
      renewed: async (row: AccountRow, used: Tokens): Promise<Access> => {
        const current = await store.get(row.id);
        const now = current && networkAccess.open(current);
        // Another process has refreshed the tokens meanwhile.
        if (current && now && now.tokens.accessToken !== used.accessToken) return open(current);
        return claimAndRenew(row.id);
      },
    };
  };

  /**
   * A network may end tokens early, or they expire on the way. A send renews them once then, so a read does too: only
   * what would stop a send is a refusal. Undefined while another process renews them, or when a person has to reconnect.
   */
  const readProfile = async (row: AccountRow, { network, site, account }: OpenAccess) => {
    try {
      return await network.profile(site, account);
    } catch (error) {
      if (asTrouble(error).kind !== 'token') throw error;
      const again = await accessFor('report').renewed(row, account.tokens);
      if (again.is === 'trouble') throw again.trouble;
      return again.is === 'open' ? network.profile(again.site, again.account) : undefined;
    }
  };

  /** Refreshes the tokens if due, then reads the profile. If reading the profile fails, the account stays connected. */
  const refresh = async ({ row, claim }: { row: AccountRow; claim: Claim }) => {
    const network = networks.get(row.network);
    const before = networkAccess.open(row);
    if (before === undefined) return;
    const access = isDue(before.tokens, network.refreshAheadMs)
      ? await renew(row, claim, isDue(before.tokens, lastMomentMs) ? 'disconnect' : 'useUntilExpiry')
      : ({
          is: 'open',
          network,
          account: before,
          site: await networkAccess.siteOf(network, row),
        } as const);
    if (access.is !== 'open') return;
    await store.endRefresh(row.id, claim.id, nextRefreshMs(network, access.account.tokens));
    try {
      const profile = await readProfile(row, access);
      if (profile === undefined) return;
      const { avatarUrl = null, ...fields } = toStorableProfile(profile);
      await store.saveProfile(row, { ...fields, avatarUrl });
      await store.setRefusal(row, null);
      if (JSON.stringify(fields.facts) !== JSON.stringify(row.facts)) {
        await live.publish({ workspaceId: row.workspaceId, kind: 'account', id: row.id });
      }
    } catch (error) {
      const { kind } = asTrouble(error, report);
      if (kind === 'token' || kind === 'permission') await noteRefusal(row, kind);
    }
  };

  const work: DueWork<{ row: AccountRow; claim: Claim }> = {
    concurrency: 4,
    claim: async (limit) => {
      const claim = newClaim();
      return (await store.claimDueRefreshes(limit, claim.id, leaseMs)).map((row) => ({ row, claim }));
    },
    handle: refresh,
    msToNext: store.msToRefresh,
    report,
  };

  return {
    ...accessFor('disconnect'),
    /** For requests that need no tokens; undefined if the account is gone. */
    site: async (id: string): Promise<Site | undefined> => {
      const row = await store.get(id);
      return row === undefined ? undefined : networkAccess.siteOf(networks.get(row.network), row);
    },
    /** For statistics, which never disconnect an account (SPEC, Statistics rules 11). */
    forReading: accessFor('report'),
    nextRefreshMs,
    /**
     * Call it after the network refused fresh tokens. If other tokens are stored by now, the account stays connected.
     */
    refuse: async ({ id }: AccountRow, used: Tokens) => {
      const row = await store.get(id);
      if (row && networkAccess.open(row)?.tokens.accessToken === used.accessToken) await refuse(row);
    },
    /** The encryption key is lost, so a person has to reconnect the account. */
    loseTokens: async (id: string, sealed: string) => {
      const row = await store.get(id);
      if (row) await refuse(row, 'Its access was lost with the encryption key of this server.');
      await store.forgetTokens(id, sealed);
    },
    work,
  };
};

/**
 * RFC 6749 5.2: `invalid_client` means that the credentials of our app are wrong. Once they are corrected, the tokens
 * of the accounts work again. A server where we register ourselves has instead forgotten our registration, and the
 * tokens with it.
 */
const withAppAtFault = ({ name, connect }: Network, trouble: NetworkTrouble): NetworkTrouble => {
  if (connect.kind !== 'OAuth' || trouble.networkCode !== 'invalid_client') return trouble;
  const message = `${name} does not accept the credentials of this server. Whoever set it up enters them again in Settings, Networks.`;
  return new NetworkTrouble('temporary', message, { networkCode: trouble.networkCode });
};

/**
 * While this process was paused, another one may have claimed the account and used the refresh token. A network that
 * sees a refresh token twice may revoke all access, so each request checks the claim first.
 */
const guarded = (site: Site, { mayBegin }: Claim): Site => ({
  ...site,
  request: (request) => site.request({ ...request, guard: { mayBegin } }),
});
