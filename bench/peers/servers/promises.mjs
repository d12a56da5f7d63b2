// What the service does for every request besides the answer: looks up the token, applies a rate limit, adds an id and
// a log line, validates input and output against the contract. Shared, so that only the frameworks differ.
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { z } from 'zod';
import { actions, callerOf, Refused } from '../../rest/servers/posts.mjs';

const Id = z.string().min(1).max(100);
const Item = z.object({ body: z.string(), media: z.array(z.string()) });
const Version = z.object({
  accountId: z.string().optional(),
  content: z.array(Item),
  options: z.record(z.string(), z.string()),
});
const Result = z.object({
  accountId: z.string(),
  ok: z.boolean(),
  externalId: z.string().optional(),
  uncertain: z.boolean(),
  url: z.string().optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  publishedAt: z.string().optional(),
});
const Status = z.enum(['Draft', 'Scheduled', 'Publishing', 'Published', 'Failed']);
const Post = z.object({
  id: z.string(),
  status: Status,
  accountIds: z.array(z.string()),
  versions: z.array(Version),
  scheduledAt: z.string().optional(),
  results: z.array(Result),
  updatedAt: z.string(),
});

export const contract = {
  'posts.get': { input: z.strictObject({ id: Id }), output: Post },
  'posts.list': {
    input: z.strictObject({
      status: Status.optional(),
      limit: z.int().min(1).max(100).default(50),
      cursor: z.string().max(200).optional(),
    }),
    output: z.object({ posts: z.array(Post), nextCursor: z.string().optional() }),
  },
  'posts.create': {
    input: z.strictObject({
      accountIds: z.array(Id).max(100).default([]),
      body: z.string().max(100_000).default(''),
      scheduledAt: z.string().max(40).default(''),
    }),
    output: Post,
  },
};

export { actions };

const compiled = Object.fromEntries(
  Object.entries(contract).map(([name, { input, output }]) => [
    name,
    { input: z.compile(input), output: z.compile(output) },
  ]),
);

/** For frameworks without validation of their own. */
export const run = async (name, caller, sent) => {
  const { input, output } = compiled[name];
  const parsed = input.safeParse(sent);
  if (!parsed.success) throw new Refused(400, parsed.error.message);
  return output.parse(await actions[name](caller, parsed.data));
};

// Logs as the service does: many lines in one write.
export const log = pino(
  { base: null, timestamp: pino.stdTimeFunctions.isoTime },
  pino.destination({ dest: process.env.LOG_FILE, sync: false, minLength: 8_192, periodicFlush: 100 }),
);

/** The caller must call `done(status)` at the end. `headers` are headers of the response. */
export const begin = ({ headers: sent, method, url }) => {
  const begun = performance.now();
  const requestId = sent['x-request-id'] ?? randomUUID();
  return {
    headers: { 'x-request-id': requestId },
    done: (status) => {
      const ms = Math.round((performance.now() - begun) * 10) / 10;
      log.info({ requestId, method, path: url, status, ms }, 'request');
    },
  };
};

const limit = 1_000_000_000;
const windowMs = 60_000;
const counts = new Map();
let current = 0;

/** Authenticates the caller and counts the request. Returns the rate limit headers. */
export const admit = async (authorization) => {
  const caller = await callerOf(authorization);
  const now = Date.now();
  const window = Math.floor(now / windowMs);
  if (window !== current) {
    current = window;
    counts.clear();
  }
  const used = (counts.get(caller.token_id) ?? 0) + 1;
  counts.set(caller.token_id, used);
  if (used > limit) throw new Refused(429, 'Too many requests.');
  const headers = {
    'ratelimit-policy': `"api";q=${limit};w=${windowMs / 1000}`,
    ratelimit: `"api";r=${limit - used};t=${Math.ceil(((window + 1) * windowMs - now) / 1000)}`,
  };
  return { caller, headers };
};
