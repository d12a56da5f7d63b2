// What every contender does: run the service's statements, validate by hand, answer in the same shape.
import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import { monotonicFactory } from 'ulid';
import { statements } from './statements.mjs';

pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text) => {
  const fraction = text.slice(19, -3) || '.';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}${fraction.padEnd(7, '0')}Z`;
});

// pg reads the address from the environment (PGHOST and the like).
const pool = new pg.Pool({
  max: Number(process.env.DATABASE_POOL),
  keepAlive: true,
  options: '-c TimeZone=UTC -c DateStyle=ISO',
});

const query = async (name, values) => (await pool.query({ name, text: statements[name], values })).rows;

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// By default ulid asks the system for random bytes for every letter. Slow ids would make the baseline easier to reach.
let random = randomBytes(0);
let used = 0;
const ulid = monotonicFactory(() => {
  if (used === random.length) {
    random = randomBytes(1024);
    used = 0;
  }
  return random[used++] / 256;
});

/** The member behind `Authorization: Bearer …`. */
export const callerOf = async (authorization = '') => {
  const token = authorization.startsWith('Bearer ') ? authorization.slice(7) : '';
  const [caller] = await query('token', [createHash('sha256').update(token).digest()]);
  if (caller === undefined) throw new Refused(401, 'This token is wrong or revoked.');
  return caller;
};

export const actions = {
  'posts.get': async (caller, input) => {
    check(isId(input.id), 'id');
    onlyFields(input, getFields);
    const [row] = await query('get', [input.id, caller.workspace_id]);
    if (row === undefined) throw new Refused(404, 'There is no such post.');
    return toPost(row);
  },

  'posts.list': async (caller, input) => {
    const { limit = 50, cursor } = input;
    check(Number.isInteger(limit) && limit >= 1 && limit <= 100, 'limit');
    check(cursor === undefined || (typeof cursor === 'string' && cursor.length <= 200), 'cursor');
    onlyFields(input, listFields);
    const before = cursor === undefined ? 'q' : Buffer.from(cursor, 'base64url').toString();
    const rows = await query('list', [caller.workspace_id, limit + 1, before]);
    const posts = rows.slice(0, limit).map(toPost);
    return rows.length > limit ? { posts, nextCursor: Buffer.from(posts.at(-1).id).toString('base64url') } : { posts };
  },

  'posts.create': async (caller, input) => {
    const { accountIds = [], body = '', scheduledAt = '' } = input;
    check(Array.isArray(accountIds) && accountIds.length <= 100 && accountIds.every(isId), 'accountIds');
    check(typeof body === 'string' && body.length <= 100_000, 'body');
    check(scheduledAt === '' || (typeof scheduledAt === 'string' && instant.test(scheduledAt)), 'scheduledAt');
    onlyFields(input, createFields);
    if (accountIds.length > 0) {
      const found = await query('accounts', [caller.workspace_id, accountIds]);
      check(found.length === accountIds.length, 'accountIds');
    }
    const [row] = await query('create', [
      `post_${ulid()}`,
      caller.workspace_id,
      accountIds,
      JSON.stringify([{ content: [{ body, media: [] }], options: {} }]),
      scheduledAt || null,
      caller.user_id,
      JSON.stringify({ kind: 'Token', name: caller.name }),
    ]);
    return toPost(row);
  },
};

const getFields = ['id'];
const listFields = ['status', 'limit', 'cursor'];
const createFields = ['accountIds', 'body', 'scheduledAt'];
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

const isId = (value) => typeof value === 'string' && value.length >= 1 && value.length <= 100;

const check = (fine, field) => {
  if (!fine) throw new Refused(400, `${field}: is not valid`);
};

const onlyFields = (input, fields) => {
  for (const key in input) check(fields.includes(key), key);
};

const toPost = (row) => ({
  id: row.id,
  status: row.status,
  accountIds: row.account_ids,
  versions: row.versions,
  ...(row.scheduled_at !== null && { scheduledAt: row.scheduled_at }),
  results: row.results,
  updatedAt: row.updated_at,
});

/** Reports our port to the runner, and exits when the runner does. */
export const announce = (port) => {
  process.once('disconnect', () => process.exit());
  process.send({ port });
};

export const pathOf = (action) => `/api/agent/tools/${action}`;
