import type { Role } from '#contracts/scopes';
import { type Database, sql } from '#server/base/store/database';
import { lacksFactor } from '#server/base/store/has-second-factor';
import type { Right } from './right.ts';

export const reads = ['members', 'workspaces'];

/** Runs for every request with a token. */
const findMember = sql(
  'tokens.find',
  `select t.id as token_id, t.name, t.user_id, t.workspace_id, m.role, w.statistics_tools, ${lacksFactor('m', 'w')} as lacks_factor
     from personal_tokens t join members m on m.workspace_id = t.workspace_id and m.user_id = t.user_id
     join workspaces w on w.id = t.workspace_id
    where t.hash = $1 and t.revoked_at is null`,
  'quick',
).holds<{ role: Role }>();

const saveLastUsed = sql(
  'tokens.saveLastUsed',
  `update personal_tokens t set last_used_at = used.at
     from unnest($1::text[], $2::timestamptz[]) as used (id, at) where t.id = used.id`,
);

const listTokens = sql(
  'tokens.list',
  `select t.id, t.name, t.created_at, t.last_used_at,
          jsonb_build_object('id', w.id, 'name', w.name) as workspace
     from personal_tokens t join workspaces w on w.id = t.workspace_id
    where t.user_id = $1 and t.revoked_at is null and (t.workspace_id = $2 or $2 is null) order by t.id desc`,
).holds<{ workspace: { readonly id: string; readonly name: string } }>();

const insertToken = sql(
  'tokens.insert',
  `insert into personal_tokens (id, workspace_id, user_id, name, hash) select $1, $2, $3, $4, $5
    where (select count(*) from personal_tokens where user_id = $3 and revoked_at is null) < $6
   returning created_at`,
);
const purgeTokens = sql('tokens.purge', 'delete from personal_tokens where revoked_at < $1');
const revokeToken = sql(
  'tokens.revoke',
  `update personal_tokens set revoked_at = posthorn_now() where id = $1 and revoked_at is null and (user_id = $2 or $2 is null)
   returning workspace_id, user_id`,
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
    const [row] = await db.query(insertToken, [id, owner.workspaceId, owner.userId, name, hash, max]);
    return row?.createdAt;
  },

  purge: (before: Date) => db.run(purgeTokens, [before]),

  find: async (hash: Buffer) => {
    const [row] = await db.query(findMember, [hash]);
    if (row === undefined) return undefined;
    const { userId, workspaceId, role, ...token } = row;
    return { ...token, member: { userId, workspaceId, role } };
  },

  /** In one workspace, or in all. */
  list: (owner: { userId: string; workspaceId?: string }) =>
    db.query(listTokens, [owner.userId, owner.workspaceId ?? null]),

  /** Returns the owner and workspace of the token. */
  revoke: async (id: string, owner: { userId?: string } = {}) =>
    (await db.query(revokeToken, [id, owner.userId ?? null]))[0],

  /** Returns the number of revoked tokens. */
  revokeAll: (owner: { userId: string; workspaceId?: string }) =>
    db.run(revokeTokens, [owner.userId, owner.workspaceId ?? null]),

  saveLastUsed: async (used: [id: string, at: Date][]) => {
    await db.query(saveLastUsed, [used.map(([id]) => id), used.map(([, at]) => at)]);
  },
});
