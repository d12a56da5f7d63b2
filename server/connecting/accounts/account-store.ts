import type { Right } from '#server/access/auth/right';
import { notifyTabs } from '#server/base/live/changes';
import { type Database, type Statement, sql, type ValuesArgument } from '#server/base/store/database';
import { sealedColumn } from '#server/base/store/sealed-column';
import type { Json } from '#server/networks/network';
import { type AccountRow, accountColumns } from './account-row.ts';

export const reads = ['workspaces'];

type NewAccount = Omit<
  AccountRow,
  'workspaceId' | 'status' | 'connectedAt' | 'disconnectedAt' | 'statisticsStoppedAt'
> & {
  readonly refreshInMs: number;
};

/** What the network refused: to renew the tokens, the token itself, or a permission. */
export interface Refusal {
  readonly kind: 'refresh' | 'token' | 'permission';
  readonly at: string;
}

interface StoredRefusal extends Refusal {
  readonly connectedAt: string;
}

interface AccountColumn {
  readonly account: AccountRow;
}

const lockWorkspace = sql('accounts.lockWorkspace', 'select from workspaces where id = $1 for no key update', 'locks');
const list = sql(
  'accounts.list',
  `select ${accountColumns('a')} as account from accounts a where a.workspace_id = $1 and a.disconnected_at is null order by a.id`,
).holds<AccountColumn>();
const get = sql(
  'accounts.get',
  `select ${accountColumns('a')} as account from accounts a where a.id = $1`,
).holds<AccountColumn>();
const find = sql(
  'accounts.find',
  `select ${accountColumns('a')} as account from accounts a
    where a.workspace_id = $1 and a.network = $2 and a.external_id = $3 and a.disconnected_at is null`,
).holds<AccountColumn>();
const findLive = sql(
  'accounts.findLive',
  'select id from accounts where not sandbox and disconnected_at is null limit 1',
);
const toReconnect = sql(
  'accounts.toReconnect',
  `select network, handle, count(*) over ()::int as count from accounts
    where status = 'NeedsReconnect' and disconnected_at is null order by id limit 5`,
);
const liveNetworks = sql(
  'accounts.liveNetworks',
  'select distinct network from accounts where not sandbox and disconnected_at is null order by 1',
);
/** Updates only this connection: a new sign-in has already read a newer profile. */
const saveProfile = sql(
  'accounts.saveProfile',
  `update accounts set name = :name, handle = :handle, avatar_url = :avatarUrl, facts = :facts
    where id = :id and connected_at = :connectedAt`,
);
/** Includes disconnected accounts, because people still know their names. */
const forForecast = sql(
  'accounts.forForecast',
  `select ${accountColumns('a')} as account, a.refusal from accounts a
    where a.workspace_id = $1 and ($2::text[] is null or a.id = any($2))`,
).holds<AccountColumn & { refusal: StoredRefusal }>();
/** Updates only this connection: after a new sign-in, an old refusal means nothing. */
const setRefusal = sql(
  'accounts.setRefusal',
  `update accounts set refusal = $3::jsonb
    where id = $1 and connected_at = $2 and refusal ->> 'kind' is distinct from $3::jsonb ->> 'kind'
   returning ${notifyTabs('account')}`,
);
/** Runs for every draft with accounts. */
const findNetworks = sql(
  'accounts.networks',
  'select id, network, facts from accounts where workspace_id = $1 and id = any($2) and disconnected_at is null',
  'quick',
).holds<{ facts: Json }>();
/** Only the process that gets the row may refresh the tokens: some networks accept a refresh token only once. */
const claimRefresh = sql(
  'accounts.claimRefresh',
  `update accounts set refresh_due_at = posthorn_now() + $3 * interval '1 ms', refresh_claim = $2
    where id = $1 and disconnected_at is null and status = 'Connected'
      and (refresh_claim is null or refresh_due_at <= (select posthorn_now()))
   returning ${accountColumns('accounts')} as account`,
).holds<AccountColumn>();
const claimDueRefreshes = sql(
  'accounts.claimDueRefreshes',
  `with due as (select id from accounts where refresh_due_at <= (select posthorn_now()) and disconnected_at is null
                 order by refresh_due_at limit $1 for update skip locked)
   update accounts set refresh_due_at = posthorn_now() + $3 * interval '1 ms', refresh_claim = $2 from due where accounts.id = due.id
   returning ${accountColumns('accounts')} as account`,
).holds<AccountColumn>();
const endRefresh = sql(
  'accounts.endRefresh',
  `update accounts set refresh_due_at = posthorn_now() + $3 * interval '1 ms', refresh_claim = null
    where id = $1 and refresh_claim = $2`,
);
/**
 * Saves even if the claim was lost, as long as the row still has the old tokens: if a refresh token works only once,
 * the network accepts only these new ones. Another process that used the old token meanwhile was refused and marked the
 * account NeedsReconnect, so saving connects it again.
 */
const saveRefreshed = sql(
  'accounts.saveRefreshed',
  `with before as (select id, status = 'NeedsReconnect' as refused from accounts
                    where id = $1 and (refresh_claim = $2 or tokens = $5) for update)
   update accounts set tokens = $3, status = 'Connected', refresh_claim = nullif(refresh_claim, $2),
          refresh_due_at = case when refused or refresh_claim = $2 then posthorn_now() + $4 * interval '1 ms' else refresh_due_at end
     from before where accounts.id = before.id
   returning case when refused then ${notifyTabs('account', { id: 'accounts.id' })} end`,
);
const msToRefresh = sql(
  'accounts.msToRefresh',
  `select ceil(extract(epoch from min(refresh_due_at) - posthorn_now()) * 1000)::float8 as ms
     from accounts where refresh_due_at is not null and disconnected_at is null`,
);
const refuse = sql(
  'accounts.refuse',
  `update accounts set status = 'NeedsReconnect', refresh_due_at = null, refresh_claim = null
    where id = $1 and status = 'Connected' and disconnected_at is null and tokens is not distinct from $2`,
);
const forgetTokens = sql(
  'accounts.forgetTokens',
  'update accounts set tokens = null, refresh_due_at = null, refresh_claim = null where id = $1 and tokens = $2',
);
/** `connected_at` makes sure that an account that was reconnected meanwhile keeps its statistics. */
const stopStatistics = sql(
  'accounts.stopStatistics',
  `update accounts set statistics_stopped_at = coalesce(statistics_stopped_at, posthorn_now())
    where id = $1 and connected_at = $2 and disconnected_at is null`,
);
const disconnect = sql(
  'accounts.disconnect',
  `with before as (select a.id, ${accountColumns('a')} as account from accounts a
                    where a.id = $1 and a.workspace_id = $2 and a.disconnected_at is null for update)
   update accounts set disconnected_at = posthorn_now(), tokens = null, refresh_due_at = null, refresh_claim = null
     from before where accounts.id = before.id
   returning before.account`,
).holds<AccountColumn>();
const findConnected = sql(
  'accounts.findConnected',
  'select id from accounts where network = any($1) and sandbox = $2 and disconnected_at is null limit 1',
);
const relatives = sql(
  'accounts.relatives',
  `select ${accountColumns('a')} as account from accounts a
    where a.network = $1 and (a.external_id = $2 or a.workspace_id = $3) and a.sandbox = $4 and a.disconnected_at is null`,
).holds<AccountColumn>();
const save = sql(
  'accounts.save',
  `insert into accounts (id, workspace_id, network, external_id, name, handle, avatar_url, granted_scopes, server, sandbox, tokens,
                         facts, refresh_due_at)
   values (:id, :workspaceId, :network, :externalId, :name, :handle, :avatarUrl, :grantedScopes, :server, :sandbox, :tokens,
           :facts, posthorn_now() + :refreshInMs * interval '1 ms')
   on conflict (workspace_id, network, external_id) where disconnected_at is null do update
      set name = excluded.name, handle = excluded.handle, avatar_url = excluded.avatar_url,
          granted_scopes = excluded.granted_scopes, server = excluded.server, sandbox = excluded.sandbox,
          tokens = excluded.tokens, facts = excluded.facts, status = 'Connected', refresh_due_at = excluded.refresh_due_at,
          refresh_claim = null, statistics_stopped_at = null, connected_at = posthorn_now()`,
);

export type AccountStore = ReturnType<typeof createAccountStore>;

export const createAccountStore = (db: Database) => {
  const accountsOf = async <Values>(query: Statement<Values, AccountColumn>, ...values: ValuesArgument<Values>) =>
    (await db.query(query, ...values)).map(({ account }) => account);

  return {
    transaction: db.transaction,

    /** Until the transaction ends, nobody else connects an account in this workspace. */
    lockWorkspace: (workspaceId: string) => db.run(lockWorkspace, [workspaceId]),

    list: (workspaceId: string) => accountsOf(list, [workspaceId]),

    get: async (id: string) => (await accountsOf(get, [id]))[0],

    forForecast: (workspaceId: string, ids: readonly string[] | null) => db.query(forForecast, [workspaceId, ids]),

    /** Null when the network accepts the account. */
    setRefusal: async ({ id, connectedAt }: AccountRow, refusal: Refusal | null) => {
      const stored: StoredRefusal | null = refusal && { ...refusal, connectedAt };
      await db.query(setRefusal, [id, connectedAt, stored === null ? null : JSON.stringify(stored)]);
    },

    /** Whether any workspace has an account on a live network. */
    hasLive: async () => (await db.query(findLive)).length > 0,

    /** The first five across all workspaces, each with the total count. */
    toReconnect: () => db.query(toReconnect),

    liveNetworks: async () => (await db.query(liveNetworks)).map(({ network }) => network),

    find: async (workspaceId: string, network: string, externalId: string) =>
      (await accountsOf(find, [workspaceId, network, externalId]))[0],

    /** By account id; leaves out disconnected accounts. */
    networks: async (workspaceId: string, ids: readonly string[]) => {
      const rows = await db.query(findNetworks, [workspaceId, ids]);
      return new Map(rows.map(({ id, network, facts }) => [id, { network, facts }]));
    },

    /** Inserts an account, or updates the connected one with the same external id. */
    save: async ({ workspaceId }: Right, account: NewAccount) => {
      await db.run(save, { ...account, workspaceId, facts: JSON.stringify(account.facts) });
    },

    saveProfile: async (
      { id, connectedAt }: AccountRow,
      { facts, ...profile }: Pick<AccountRow, 'name' | 'handle' | 'avatarUrl' | 'facts'>,
    ) => {
      await db.run(saveProfile, { ...profile, id, connectedAt, facts: JSON.stringify(facts) });
    },

    claimRefresh: async (id: string, claim: string, leaseMs: number) =>
      (await accountsOf(claimRefresh, [id, claim, leaseMs]))[0],

    claimDueRefreshes: (limit: number, claim: string, leaseMs: number) =>
      accountsOf(claimDueRefreshes, [limit, claim, leaseMs]),

    msToRefresh: async () => (await db.query(msToRefresh))[0]?.ms ?? undefined,

    /** Does nothing if another process has claimed the account since. */
    endRefresh: async (id: string, claim: string, nextInMs: number) => {
      await db.run(endRefresh, [id, claim, nextInMs]);
    },

    saveRefreshed: async (id: string, claim: string, tokens: { new: string; old: string | null }, nextInMs: number) => {
      await db.run(saveRefreshed, [id, claim, tokens.new, nextInMs, tokens.old]);
    },

    /** True only for the first call about these tokens. */
    refuse: async (id: string, tokens: string | null) => (await db.run(refuse, [id, tokens])) > 0,

    forgetTokens: (id: string, tokens: string) => db.run(forgetTokens, [id, tokens]),

    stopStatistics: async (id: string, connectedAt: string) => (await db.run(stopStatistics, [id, connectedAt])) > 0,

    /** Returns the account as it was before; undefined if it is not connected. */
    disconnect: async ({ workspaceId }: Right, id: string) => (await accountsOf(disconnect, [id, workspaceId]))[0],

    /** Whether any workspace has an account on one of these networks. */
    hasConnected: async (networks: readonly string[], sandbox: boolean) =>
      (await db.query(findConnected, [networks, sandbox])).length > 0,

    /**
     * Accounts that may share its tokens: the same account in any workspace, and those of its workspace on the network.
     */
    relatives: ({ network, externalId, workspaceId, sandbox }: AccountRow) =>
      accountsOf(relatives, [network, externalId, workspaceId, sandbox]),
  };
};

export const sealedTokens = (db: Database) =>
  sealedColumn(db, {
    table: 'accounts',
    column: 'tokens',
    noun: 'account token',
    replace: sql('accounts.resealTokens', 'update accounts set tokens = $3 where id = $1 and tokens = $2'),
  });
