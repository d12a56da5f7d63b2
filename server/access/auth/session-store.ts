import type { Proof } from '#contracts/receipts';
import type { Role } from '#contracts/scopes';
import { canPublish } from '#server/base/store/can-publish';
import { type Database, sql } from '#server/base/store/database';
import { hasSecondFactor, lacksFactor } from '#server/base/store/has-second-factor';
import type { Right } from './right.ts';

export const reads = ['members', 'users', 'workspaces'];

/** Runs for every request with a token. */
const findMember = sql(
  'tokens.find',
  `select t.id as token_id, t.name, t.user_id, t.workspace_id, m.role, w.statistics_tools, ${lacksFactor('m', 'w')} as lacks_factor
     from personal_tokens t join members m on m.workspace_id = t.workspace_id and m.user_id = t.user_id
     join workspaces w on w.id = t.workspace_id
    where t.hash = $1 and t.revoked_at is null`,
  'quick',
);

interface MemberRow {
  readonly user_id: string;
  readonly workspace_id: string;
  readonly role: Role;
  readonly statistics_tools: boolean;
  readonly lacks_factor: boolean;
}

const toMember = (row: MemberRow) => ({
  member: { userId: row.user_id, workspaceId: row.workspace_id, role: row.role },
  statisticsTools: row.statistics_tools,
  lacksFactor: row.lacks_factor,
});

const saveLastUsed = sql(
  'tokens.saveLastUsed',
  `update personal_tokens t set last_used_at = used.at
     from unnest($1::text[], $2::timestamptz[]) as used (id, at) where t.id = used.id`,
);

const listTokens = sql(
  'tokens.list',
  `select t.id, t.name, t.created_at as "createdAt", t.last_used_at as "lastUsedAt",
          jsonb_build_object('id', w.id, 'name', w.name) as workspace
     from personal_tokens t join workspaces w on w.id = t.workspace_id
    where t.user_id = $1 and t.revoked_at is null and (t.workspace_id = $2 or $2 is null) order by t.id desc`,
);

interface ListedToken {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly workspace: { readonly id: string; readonly name: string };
}

const insertToken = sql(
  'tokens.insert',
  `insert into personal_tokens (id, workspace_id, user_id, name, hash) select $1, $2, $3, $4, $5
    where (select count(*) from personal_tokens where user_id = $3 and revoked_at is null) < $6
   returning created_at as "createdAt"`,
);
const purgeTokens = sql('tokens.purge', 'delete from personal_tokens where revoked_at < $1');
const revokeToken = sql(
  'tokens.revoke',
  `update personal_tokens set revoked_at = posthorn_now() where id = $1 and revoked_at is null and (user_id = $2 or $2 is null)
   returning workspace_id as "workspaceId", user_id as "userId"`,
);
const revokeTokens = sql(
  'tokens.revokeAll',
  `update personal_tokens set revoked_at = posthorn_now()
    where user_id = $1 and revoked_at is null and (workspace_id = $2 or $2 is null)`,
);

interface NewToken {
  readonly id: string;
  readonly owner: Right;
  readonly name: string;
  readonly hash: Buffer;
}

export type TokenStore = ReturnType<typeof createTokenStore>;

export const createTokenStore = (db: Database) => ({
  transaction: db.transaction,

  /** Returns the time of creation; undefined at the limit. Simultaneous inserts may exceed the limit slightly. */
  insert: async ({ id, owner, name, hash }: NewToken, max: number) => {
    const values = [id, owner.workspaceId, owner.userId, name, hash, max];
    const [row] = await db.query<{ createdAt: string }>(insertToken, values);
    return row?.createdAt;
  },

  purge: (before: Date) => db.run(purgeTokens, [before]),

  find: async (hash: Buffer) => {
    const [row] = await db.query<MemberRow & { token_id: string; name: string }>(findMember, [hash]);
    return row && { tokenId: row.token_id, name: row.name, ...toMember(row) };
  },

  /** In one workspace, or in all. */
  list: (owner: { userId: string; workspaceId?: string }) =>
    db.query<ListedToken>(listTokens, [owner.userId, owner.workspaceId ?? null]),

  /** Returns the owner and workspace of the token. */
  revoke: async (id: string, owner: { userId?: string } = {}) =>
    (await db.query<{ workspaceId: string; userId: string }>(revokeToken, [id, owner.userId ?? null]))[0],

  /** Returns the number of revoked tokens. */
  revokeAll: (owner: { userId: string; workspaceId?: string }) =>
    db.run(revokeTokens, [owner.userId, owner.workspaceId ?? null]),

  saveLastUsed: async (used: [id: string, at: Date][]) => {
    await db.query(saveLastUsed, [used.map(([id]) => id), used.map(([, at]) => at)]);
  },
});

interface SessionRow {
  readonly id: string;
  readonly user_id: string;
  readonly email: string;
  readonly by_link: boolean;
  readonly means: Proof[];
  readonly created_at: string;
  readonly last_seen_at: string;
  readonly workspace_id: string | null;
  readonly workspace_name: string | null;
  readonly role: Role | null;
  readonly can_publish: boolean | null;
  readonly lacks_factor: boolean | null;
}

/** Runs for every request of the app. The open workspace counts only while the user is a member. */
const readSession = sql(
  'sessions.read',
  `select s.id, s.user_id, u.email, s.by_link, s.means, s.created_at, s.last_seen_at, w.id as workspace_id, w.name as workspace_name,
          m.role, ${canPublish('m', 'w')} as can_publish, ${lacksFactor('m', 'w')} as lacks_factor
     from sessions s join users u on u.id = s.user_id
     left join members m on m.user_id = u.id and m.workspace_id = s.workspace_id
     left join workspaces w on w.id = m.workspace_id
    where s.hash = $1 and s.created_at > $2 and s.last_seen_at > $3`,
);
/** Opens the workspace that the user opened last, or another one if they are no longer a member. */
const insertSession = sql(
  'sessions.insert',
  `insert into sessions (id, hash, user_id, created_at, last_seen_at, user_agent, by_link, means, workspace_id)
   values ($1, $2, $3, $4, $4, $5, $6, $7, (
     select m.workspace_id from members m join users u on u.id = m.user_id
      where m.user_id = $3 order by m.workspace_id <> coalesce(u.last_workspace_id, ''), m.workspace_id limit 1))`,
);
const seenSession = sql('sessions.seen', 'update sessions set last_seen_at = $2 where hash = $1');
const openInSession = sql('sessions.open', 'update sessions set workspace_id = $2 where id = $1');
const closeInSessions = sql(
  'sessions.close',
  'update sessions set workspace_id = null where user_id = $1 and workspace_id = $2',
);
const listSessions = sql(
  'sessions.list',
  `select id, created_at as since, last_seen_at as "lastSeenAt", user_agent as "userAgent" from sessions
    where user_id = $1 and created_at > $2 and last_seen_at > $3 order by last_seen_at desc, id desc`,
);
const countByUser = sql(
  'sessions.countByUser',
  'select user_id as "userId", count(*)::int as count, max(last_seen_at) as "lastSeenAt" from sessions group by user_id',
);
const removeOld = sql('sessions.removeOld', 'delete from sessions where created_at <= $1 or last_seen_at <= $2');
const removeSession = sql('sessions.remove', 'delete from sessions where hash = $1 returning user_id');
const removeOne = sql('sessions.removeOne', 'delete from sessions where user_id = $1 and id = $2');
const removeOthers = sql('sessions.removeOthers', 'delete from sessions where user_id = $1 and hash <> $2');

interface ListedSession {
  readonly id: string;
  readonly since: string;
  readonly lastSeenAt: string;
  readonly userAgent: string;
}

export type SessionStore = ReturnType<typeof createSessionStore>;

export const createSessionStore = (db: Database) => ({
  insert: (
    id: string,
    hash: Buffer,
    userId: string,
    at: Date,
    userAgent: string,
    byLink: boolean,
    means: readonly Proof[],
  ) => db.run(insertSession, [id, hash, userId, at, userAgent, byLink, means]),

  read: async (hash: Buffer, createdAfter: Date, seenAfter: Date, recentAfter: Date) => {
    const [row] = await db.query<SessionRow>(readSession, [hash, createdAfter, seenAfter]);
    if (row === undefined) return undefined;
    const { workspace_id: id, workspace_name: name, role } = row;
    const workspace =
      id !== null && name !== null && role !== null
        ? {
            workspace: {
              id,
              name,
              role,
              canPublish: row.can_publish === true,
              lacksFactor: row.lacks_factor === true,
            },
          }
        : {};
    const { user_id: userId, id: sessionId, email, means } = row;
    const isRecent = new Date(row.created_at) > recentAfter;
    const signedIn = { userId, sessionId, email, byLink: row.by_link && isRecent, isRecent, means, ...workspace };
    return { lastSeenAt: row.last_seen_at, signedIn };
  },

  seen: (hash: Buffer, at: Date) => db.run(seenSession, [hash, at]),
  open: (id: string, workspaceId: string) => db.run(openInSession, [id, workspaceId]),
  close: (userId: string, workspaceId: string) => db.run(closeInSessions, [userId, workspaceId]),
  list: (userId: string, createdAfter: Date, seenAfter: Date) =>
    db.query<ListedSession>(listSessions, [userId, createdAfter, seenAfter]),
  countByUser: () => db.query<{ userId: string; count: number; lastSeenAt: string }>(countByUser),
  /** Returns the user of the session. */
  remove: async (hash: Buffer) => (await db.query<{ user_id: string }>(removeSession, [hash]))[0]?.user_id,
  removeOne: (userId: string, id: string) => db.run(removeOne, [userId, id]),
  removeOld: (createdBefore: Date, seenBefore: Date) => db.run(removeOld, [createdBefore, seenBefore]),
  removeOthers: (userId: string, hash: Buffer) => db.run(removeOthers, [userId, hash]),
});

/**
 * One query for the last workspace of an access token's user, and whether the token is still valid. It runs for every
 * request, so revoked access ends with the next one, on every instance.
 */
const lastWorkspace = sql(
  'access.lastWorkspace',
  `select u.id as user_id, w.id as workspace_id, m.role, w.statistics_tools, ${lacksFactor('m', 'w')} as lacks_factor,
          u.tokens_valid_after <= $3 and coalesce(c.ended_at < $3, true) as trusted
     from users u left join client_access c on c.user_id = u.id and c.client_id = $2
     left join members m on m.user_id = u.id and m.workspace_id = u.last_workspace_id
     left join workspaces w on w.id = m.workspace_id where u.id = $1`,
);

interface AccessRow {
  readonly user_id: string;
  readonly workspace_id: string | null;
  readonly role: Role;
  readonly statistics_tools: boolean;
  readonly lacks_factor: boolean | null;
  readonly trusted: boolean;
}

/** With a personal token, while it is not revoked. */
const roleWithToken = sql(
  'access.roleWithToken',
  `select m.role from personal_tokens t join members m on m.workspace_id = t.workspace_id and m.user_id = t.user_id
     join workspaces w on w.id = m.workspace_id and not ${lacksFactor('m', 'w')}
    where t.user_id = $1 and t.workspace_id = $2 and t.id = $3 and t.revoked_at is null`,
);
/** With an access token, while its client is trusted. */
const roleWithClient = sql(
  'access.roleWithClient',
  `select m.role from users u join members m on m.user_id = u.id and m.workspace_id = $2
     join workspaces w on w.id = m.workspace_id and not ${lacksFactor('m', 'w')}
     left join client_access c on c.user_id = u.id and c.client_id = $3
    where u.id = $1 and u.tokens_valid_after <= $4 and coalesce(c.ended_at < $4, true)`,
);

export type AccessStore = ReturnType<typeof createAccessStore>;

export const createAccessStore = (db: Database) => ({
  /** `member` is absent if the user is no longer in the workspace they opened last. */
  findMembership: async (userId: string, clientId: string, issuedAt: Date) => {
    const [row] = await db.query<AccessRow>(lastWorkspace, [userId, clientId, issuedAt]);
    if (!row?.trusted) return undefined;
    const { user_id, workspace_id: workspaceId, role, statistics_tools: statisticsTools } = row;
    const lacks = row.lacks_factor === true;
    return workspaceId === null
      ? {}
      : { member: { userId: user_id, workspaceId, role }, statisticsTools, lacksFactor: lacks };
  },

  /** In this workspace, which need not be the one that the user opened last. */
  roleWith: async (
    { userId, workspaceId }: { userId: string; workspaceId: string },
    access: { tokenId: string } | { clientId: string; issuedAt: string },
  ) => {
    const [row] = await ('tokenId' in access
      ? db.query<{ role: Role }>(roleWithToken, [userId, workspaceId, access.tokenId])
      : db.query<{ role: Role }>(roleWithClient, [userId, workspaceId, access.clientId, access.issuedAt]));
    return row?.role;
  },
});

/** Until the transaction ends, nobody ends the membership or changes it. */
const lockMember = sql(
  'rights.lockMember',
  `select m.role, ${canPublish('m', 'w')} as "canPublish" from members m join workspaces w on w.id = m.workspace_id
    where m.workspace_id = $1 and m.user_id = $2 for share of m`,
  'locks',
);

export type RightStore = ReturnType<typeof createRightStore>;

export const createRightStore = (db: Database) => ({
  lockMember: async (workspaceId: string, userId: string) =>
    (await db.query<{ role: Role; canPublish: boolean }>(lockMember, [workspaceId, userId]))[0],
});

export interface ClientRow {
  readonly id: string;
  readonly clientId: string;
  readonly name: string;
  readonly scopes: string[];
  readonly since: string;
  readonly lastUsedAt: string | null;
}

const grantAccess = sql(
  'clients.grant',
  `insert into client_access as c (id, user_id, client_id, name, scopes, given_at) values ($1, $2, $3, $4, $5, $6)
   on conflict (user_id, client_id) do update set name = excluded.name, scopes = excluded.scopes,
     given_at = case when c.ended_at >= c.given_at then excluded.given_at else c.given_at end`,
);
/** An outside provider asks for consent itself, so its clients appear in the list with their first use. */
const saveUsed = sql(
  'clients.saveUsed',
  `insert into client_access as c (id, user_id, client_id, name, scopes, given_at, last_used_at)
   select id, user_id, client_id, client_id, string_to_array(scopes, ' '), at, at
     from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[]) as used (id, user_id, client_id, scopes, at)
    where exists (select 1 from users where users.id = user_id)
   on conflict (user_id, client_id) do update set last_used_at = excluded.last_used_at,
     given_at = case when c.ended_at >= c.given_at and c.ended_at < excluded.given_at then excluded.given_at else c.given_at end`,
);
const listAccess = sql(
  'clients.list',
  `select id, client_id as "clientId", name, scopes, given_at as since, last_used_at as "lastUsedAt" from client_access
    where user_id = $1 and coalesce(ended_at < given_at, true) order by given_at desc, id desc`,
);
const endAccess = sql(
  'clients.end',
  `update client_access set ended_at = $3 where user_id = $1 and id = $2 and coalesce(ended_at < given_at, true)
   returning client_id as "clientId", name`,
);
const endAccessOf = sql(
  'clients.endOf',
  `insert into client_access (id, user_id, client_id, name, scopes, given_at, ended_at) values ($1, $2, $3, $3, '{}', $4, $4)
   on conflict (user_id, client_id) do update set ended_at = excluded.ended_at`,
);
const endAllAccess = sql(
  'clients.endAll',
  'update client_access set ended_at = $2 where user_id = $1 and coalesce(ended_at < given_at, true)',
);

/** Self-registered clients are purged some time after their last use. */
const saveRegistrationsUsed = sql(
  'clients.saveRegistrationsUsed',
  `update registered_clients r set last_used_at = greatest(r.last_used_at, used.at)
     from (select id, max(at) as at from unnest($1::text[], $2::timestamptz[]) as used (id, at) group by id) as used
    where r.id = used.id`,
);

interface UsedAccess {
  readonly id: string;
  readonly userId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly at: Date;
}

export type ClientStore = ReturnType<typeof createClientStore>;

export const createClientStore = (db: Database) => ({
  transaction: db.transaction,
  grant: (id: string, userId: string, clientId: string, name: string, scopes: readonly string[], at: Date) =>
    db.run(grantAccess, [id, userId, clientId, name, scopes, at]),
  saveUsed: (all: readonly UsedAccess[]) =>
    db.run(saveUsed, [
      all.map(({ id }) => id),
      all.map(({ userId }) => userId),
      all.map(({ clientId }) => clientId),
      all.map(({ scopes }) => scopes.join(' ')),
      all.map(({ at }) => at),
    ]),
  saveRegistrationsUsed: (all: readonly Pick<UsedAccess, 'clientId' | 'at'>[]) =>
    db.run(saveRegistrationsUsed, [all.map(({ clientId }) => clientId), all.map(({ at }) => at)]),
  list: (userId: string) => db.query<ClientRow>(listAccess, [userId]),
  end: async (userId: string, id: string, at: Date) =>
    (await db.query<{ clientId: string; name: string }>(endAccess, [userId, id, at]))[0],
  endOf: (id: string, userId: string, clientId: string, at: Date) => db.run(endAccessOf, [id, userId, clientId, at]),
  endAll: (userId: string, at: Date) => db.run(endAllAccess, [userId, at]),
});

/**
 * Counts a try before the password is checked, in one statement, so that simultaneous tries see each other. Returns no
 * row during the delay after the last try.
 */
const countTry = sql(
  'tries.count',
  `insert into password_tries as t (account, network, tries, last_at, next_at) values ($1, $2, 1, $3, $3)
   on conflict (account, network) do update set last_at = $3,
     tries = case when t.last_at < $4 then 1 else t.tries + 1 end,
     next_at = $3::timestamptz + interval '1 ms' *
       case when t.last_at < $4 then 0 else ($5::int[])[least(t.tries + 1, cardinality($5::int[]))] end
   where t.next_at <= $3 or t.last_at < $4 returning tries`,
);
const nextTry = sql('tries.next', 'select next_at from password_tries where account = $1 and network = $2');
const takeBackTry = sql(
  'tries.takeBack',
  'update password_tries set tries = tries - 1, next_at = last_at where account = $1 and network = $2 and tries > 0',
);
const forgetTries = sql('tries.forget', 'delete from password_tries where account = $1 and network = $2');
const purgeTries = sql('tries.purge', 'delete from password_tries where last_at < $1');

export type TryStore = ReturnType<typeof createTryStore>;

export const createTryStore = (db: Database) => ({
  /** False during a delay. */
  count: async (account: string, network: string, now: Date, expiredBefore: Date, waitsMs: readonly number[]) =>
    (await db.query(countTry, [account, network, now, expiredBefore, waitsMs])).length > 0,
  nextAt: async (account: string, network: string) =>
    (await db.query<{ next_at: string }>(nextTry, [account, network]))[0]?.next_at,
  takeBack: (account: string, network: string) => db.run(takeBackTry, [account, network]),
  forget: (account: string, network: string) => db.run(forgetTries, [account, network]),
  purge: (before: Date) => db.run(purgeTries, [before]),
});

/** Sorted by key, because two instances that lock the same rows in different orders would deadlock. */
const addCounts = sql(
  'counts.add',
  `insert into request_counts as c (name, key, until, used)
   select $1, key, $2, used from unnest($3::text[], $4::int[]) as counts (key, used) order by key
   on conflict (name, key, until) do update set used = c.used + excluded.used returning key, used`,
);
const purgeCounts = sql('counts.purge', 'delete from request_counts where until < $1');

export type CountStore = ReturnType<typeof createCountStore>;

export const createCountStore = (db: Database) => ({
  /** Returns the sums of all instances. */
  add: (name: string, until: Date, counts: readonly (readonly [key: string, count: number])[]) =>
    db.query<{ key: string; used: number }>(addCounts, [
      name,
      until,
      counts.map(([key]) => key),
      counts.map(([, count]) => count),
    ]),
  purge: (before: Date) => db.run(purgeCounts, [before]),
});

interface PendingRow {
  readonly userId: string;
  readonly means: Proof[];
  readonly byLink: boolean;
  readonly userAgent: string;
}

const pendingColumns = 'user_id as "userId", means, by_link as "byLink", user_agent as "userAgent"';
const hasFactor = sql('signIns.hasFactor', `select ${hasSecondFactor('$1')} as has`);
const insertPending = sql(
  'signIns.insert',
  `insert into pending_sign_ins (hash, user_id, means, by_link, user_agent, expires_at) values ($1, $2, $3, $4, $5, $6)`,
);
const findPending = sql(
  'signIns.find',
  `update pending_sign_ins set tries = tries + $3 where hash = $1 and expires_at > $2 and tries < $4
   returning ${pendingColumns}`,
);
const takePending = sql('signIns.take', `delete from pending_sign_ins where hash = $1 returning ${pendingColumns}`);
const removePending = sql('signIns.removeOf', 'delete from pending_sign_ins where user_id = $1');
const purgePending = sql('signIns.purge', 'delete from pending_sign_ins where expires_at <= $1');

export type PendingStore = ReturnType<typeof createPendingStore>;

export const createPendingStore = (db: Database) => ({
  hasFactor: async (userId: string) => (await db.query<{ has: boolean }>(hasFactor, [userId]))[0]?.has === true,
  insert: (row: Omit<PendingRow, 'means'> & { hash: Buffer; means: readonly Proof[]; expiresAt: Date }) =>
    db.run(insertPending, [row.hash, row.userId, row.means, row.byLink, row.userAgent, row.expiresAt]),
  find: async (hash: Buffer, now: Date, { isTry, maxTries }: { isTry: boolean; maxTries: number }) =>
    (await db.query<PendingRow>(findPending, [hash, now, isTry ? 1 : 0, maxTries]))[0],
  /** Deletes it, so only one caller gets it. */
  take: async (hash: Buffer) => (await db.query<PendingRow>(takePending, [hash]))[0],
  removeOf: (userId: string) => db.run(removePending, [userId]),
  purge: (now: Date) => db.run(purgePending, [now]),
});

const insertSecret = sql(
  'secrets.insert',
  'insert into one_time_secrets (hash, purpose, user_id, expires_at) values ($1, $2, $3, $4)',
);
const takeSecret = sql(
  'secrets.take',
  'delete from one_time_secrets where hash = $1 and purpose = $2 and expires_at > $3 returning user_id',
);
const findSecret = sql(
  'secrets.find',
  'select user_id from one_time_secrets where hash = $1 and purpose = $2 and expires_at > $3',
);
const removeSecrets = sql('secrets.remove', 'delete from one_time_secrets where user_id = $1 and purpose = $2');
const purgeSecrets = sql('secrets.purge', 'delete from one_time_secrets where expires_at <= $1');

export type Purpose = 'sign-in' | 'first-owner' | 'password';
export type SecretStore = ReturnType<typeof createSecretStore>;

export const createSecretStore = (db: Database) => ({
  insert: (hash: Buffer, purpose: Purpose, userId: string | null, expiresAt: Date) =>
    db.run(insertSecret, [hash, purpose, userId, expiresAt]),
  /** Deletes the row, so only one caller gets it. */
  take: async (hash: Buffer, purpose: Purpose, now: Date) =>
    (await db.query<{ user_id: string | null }>(takeSecret, [hash, purpose, now]))[0],
  has: async (hash: Buffer, purpose: Purpose, now: Date) =>
    (await db.query<{ user_id: string | null }>(findSecret, [hash, purpose, now])).length > 0,
  removeOf: (userId: string, purpose: Purpose) => db.run(removeSecrets, [userId, purpose]),
  purge: (now: Date) => db.run(purgeSecrets, [now]),
});

const lockRegistrations = sql('registrations.lock', 'select pg_advisory_xact_lock(727034)', 'locks');
/** Deletes the oldest clients without consent, but only those whose consent page has expired. */
const makeRoom = sql(
  'registrations.makeRoom',
  `delete from registered_clients where created_at <= $2 and id in (
     select id from registered_clients where last_used_at is null order by created_at desc offset $1)`,
);
const insertRegistration = sql(
  'registrations.insert',
  `insert into registered_clients (id, name, redirect_uris, created_at) select $1, $2, $3, $4
    where (select count(*) from registered_clients where last_used_at is null) < $5`,
);
const findRegistration = sql(
  'registrations.find',
  'select name, redirect_uris as "redirectUris" from registered_clients where id = $1',
);
/** The access that users gave to a purged client is deleted too, because nobody can use it any more. */
const purgeRegistrations = sql(
  'registrations.purge',
  `with gone as (
     delete from registered_clients where (last_used_at is null and created_at <= $1) or last_used_at <= $2 returning id)
   delete from client_access c using gone where c.client_id = gone.id`,
);

export type RegistrationStore = ReturnType<typeof createRegistrationStore>;

export const createRegistrationStore = (db: Database) => ({
  /** False if there are too many clients without consent. */
  insert: (
    { id, name, redirectUris, at }: { id: string; name: string; redirectUris: readonly string[]; at: Date },
    { max, removableBefore }: { max: number; removableBefore: Date },
  ) =>
    db.transaction(async () => {
      await db.run(lockRegistrations);
      await db.run(makeRoom, [max - 1, removableBefore]);
      return (await db.run(insertRegistration, [id, name, redirectUris, at, max])) > 0;
    }),
  find: async (id: string) => (await db.query<{ name: string; redirectUris: string[] }>(findRegistration, [id]))[0],
  purge: (unusedFrom: Date, usedFrom: Date) => db.run(purgeRegistrations, [unusedFrom, usedFrom]),
});
