import { z } from 'zod';
import type { NetworkAccount, Sending, Site } from '#server/networks/network';
import { type NetworkAnswer, type NetworkRequest, retryAt, shaped } from '#server/networks/request';
import { isSince, type Page } from '#server/networks/shared/recent';
import { comparable } from '#server/networks/shared/text';
import { NetworkTrouble, type TroubleKind } from '#server/networks/trouble';

/** Meta's Graph API, which Facebook, Instagram and Threads share. */
export type Ask = (
  site: Site,
  account: Pick<NetworkAccount, 'tokens'>,
  request: Omit<NetworkRequest, 'url'> & { path: string },
) => Promise<NetworkAnswer>;

export const graphVersion = (site: Pick<Site, 'setting'>): string => site.setting('META_GRAPH_VERSION', 'v25.0');

/** Calls the Graph API with the account's token. Throws refusals as trouble. */
export const createAsk =
  (name: string, root: (site: Site) => string): Ask =>
  async (site, { tokens }, { path, ...request }) => {
    const answer = await site.request({
      ...request,
      url: root(site) + path,
      headers: { authorization: `Bearer ${tokens.accessToken}`, ...request.headers },
    });
    if (answer.status >= 400) throw graphTrouble(name, answer, site.now());
    return answer;
  };

const kindsOf = (kinds: Partial<Record<TroubleKind, readonly number[]>>) =>
  new Map(
    Object.entries(kinds).flatMap(([kind, numbers]) => numbers.map((number) => [number, kind as TroubleKind] as const)),
  );

/** Subcodes are more precise than codes, which Meta reuses: 4 is a limit, but 4/2207051 is suspected spam. */
const bySubcode = kindsOf({
  permission: [1404006, 1404078, 1404112, 2207050, 4279013, 4854002],
  rateLimited: [1390008, 2207042],
  content: [1346003, 1366051, 1404102, 1609008, 2061006, 2207010, 2207051, 2207081],
  media: [1366046, 2069019, 2207004, 2207005, 2207009, 2207023, 2207026, 2207028, 2207052, 2207057, 2207077],
  temporary: [2207001, 2207003, 2207006, 2207008, 2207020, 2207027, 2207032, 2207053, 2207082],
});

const byCode = kindsOf({
  token: [102, 190],
  permission: [3, 10, 25],
  rateLimited: [4, 9, 17, 32, 341, 613],
  content: [100, 368, 506, 36004, 1609005],
  media: [324, 352, 9004, 36000, 36001, 36003],
  temporary: [-2, -1, 1, 2, 24, 9007],
});

const byStatus = new Map<number, TroubleKind>([
  [401, 'token'],
  [403, 'permission'],
  [429, 'rateLimited'],
]);

const kindOfCode = (code: number): TroubleKind | undefined => {
  if (code >= 200 && code <= 299) return 'permission';
  // The limits of one business.
  if (code >= 80_000 && code <= 80_099) return 'rateLimited';
  return byCode.get(code);
};

/** A container's state has its error code in a sentence: `Media upload has failed with error code 2207026`. */
export const kindOfText = (text: string): TroubleKind | undefined =>
  bySubcode.get(Number(/\b\d{7}\b/.exec(text)?.[0] ?? 0));

const said: Readonly<Record<TroubleKind, (name: string, words: string) => string>> = {
  token: (name, words) => `${name} refused our access (${words}). Connect the account again.`,
  permission: (name, words) =>
    `${name} does not allow this to the account (${words}). Connect it again and grant everything; if it is restricted, open ${name} to see what it asks for.`,
  rateLimited: (name, words) => `${name} asks to wait: ${words}.`,
  content: (name, words) => `${name} refused: ${words}.`,
  media: (name, words) => `${name} could not use the file: ${words}.`,
  temporary: (name, words) => `${name} cannot do it right now: ${words}.`,
  unknown: (name, words) => `${name} gave an answer that is not understood: ${words}.`,
};

const GraphError = z
  .object({
    error: z.object({
      message: z.string().optional(),
      code: z.number(),
      error_subcode: z.number().optional(),
      is_transient: z.boolean().optional(),
      error_user_msg: z.string().optional(),
    }),
  })
  .transform(({ error }) => error);

/**
 * Meta limits the posts in any 24 hours, so there is room before a whole day has passed. Instagram does not say when.
 */
const postsOfTheDay = 2207042;
const askAgainMs = 2 * 3_600_000;

export const graphTrouble = (name: string, answer: NetworkAnswer, now: Date): NetworkTrouble => {
  const { status } = answer;
  const error = GraphError.safeParse(answer.json).data;
  const kind =
    (error && (bySubcode.get(error.error_subcode ?? 0) ?? kindOfCode(error.code))) ??
    (status >= 500 || error?.is_transient ? 'temporary' : byStatus.get(status)) ??
    (error ? 'content' : 'unknown');
  const isDayOver = error?.error_subcode === postsOfTheDay;
  const byDay = isDayOver ? new Date(now.getTime() + askAgainMs) : undefined;
  const until = kind === 'rateLimited' ? (regainedAt(answer, now) ?? byDay) : undefined;
  return new NetworkTrouble(kind, said[kind](name, wordsOf(answer)), {
    networkCode: error ? [error.code, error.error_subcode].filter((code) => code !== undefined).join('/') : `${status}`,
    ...(until && { until }),
  });
};

/** The error format of api.instagram.com, which differs from Graph's. */
const LoginError = z.object({ error_message: z.string() });

/** Meta's message without the code in front and the full stop. */
export const wordsOf = ({ status, json }: NetworkAnswer): string => {
  const error = GraphError.safeParse(json).data;
  const words = error?.error_user_msg || error?.message || LoginError.safeParse(json).data?.error_message;
  return (words ?? `HTTP ${status}`).replace(/^\(#\d+\) /, '').replace(/\.$/, '');
};

const Usage = z.record(z.string(), z.array(z.object({ estimated_time_to_regain_access: z.number().optional() })));

/** Meta reports the wait in minutes, per business. */
const regainedAt = ({ headers }: NetworkAnswer, now: Date): Date | undefined => {
  const usage = Usage.safeParse(parsed(headers['x-business-use-case-usage'])).data ?? {};
  const minutes = Object.values(usage).flatMap((uses) => uses.map((use) => use.estimated_time_to_regain_access ?? 0));
  const longest = Math.max(0, ...minutes);
  return longest > 0 ? new Date(now.getTime() + longest * 60_000) : retryAt(headers['retry-after'], now);
};

const parsed = (text = ''): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** `next` is present while there are more pages; `cursors` has the cursor. */
const Paging = z
  .union([
    z.object({ next: z.string(), cursors: z.object({ after: z.string() }) }).transform(({ cursors }) => cursors.after),
    z.object({ next: z.undefined().optional() }).transform(() => undefined),
  ])
  .optional();

/** Reads a list page by page. */
export const pagesOf =
  <Entry>(
    ask: Ask,
    site: Site,
    account: NetworkAccount,
    Entry: z.ZodType<Entry>,
    { path, query }: { readonly path: string; readonly query: Readonly<Record<string, string | number>> },
  ) =>
  async (cursor?: string): Promise<Page<Entry>> => {
    const answer = await ask(site, account, { path, query: { ...query, after: cursor } });
    const { data, paging } = shaped(z.object({ data: z.array(Entry), paging: Paging }), answer);
    return { entries: data, next: paging };
  };

/** The network says that it does not exist, or that we may not see it. */
export const isGone = (error: unknown): boolean =>
  error instanceof NetworkTrouble && /^(100\/33|803|24)\b/.test(error.networkCode ?? '');

/** Whether this list entry is the part that may already be public. No part has a key, so text and time are compared. */
export const isPart = (
  { part, out, since }: Sending,
  entry: { readonly id: string; readonly text?: string | undefined; readonly at: string },
): boolean =>
  comparable(entry.text ?? '') === comparable(part.body) &&
  isSince(Date.parse(entry.at), since) &&
  !out.some(({ externalId }) => externalId === entry.id);

/** Without text, other posts of the account look the same. */
export const hasText = ({ part }: Pick<Sending, 'part'>): boolean => part.body.trim() !== '';

/** A number, or the parts of one by name. */
const Total = z.union([
  z.number(),
  z
    .record(z.string(), z.unknown())
    .refine((parts) => Object.keys(parts).length === 0 || Object.values(parts).some((part) => typeof part === 'number'))
    .transform((parts) =>
      Object.values(parts).reduce((sum: number, part) => sum + (typeof part === 'number' ? part : 0), 0),
    ),
]);

const Insights = z.object({
  data: z.array(
    z.union([
      z
        .object({ name: z.string(), values: z.tuple([z.object({ value: Total })], z.unknown()) })
        .transform(({ name, values: [first] }) => ({ name, value: first.value })),
      z
        .object({ name: z.string(), total_value: z.object({ value: Total }) })
        .transform(({ name, total_value: { value } }) => ({ name, value })),
    ]),
  ),
});

/** Metrics by their names at Meta. A metric that is broken down is the sum of its parts. */
export const insightsOf = (answer: NetworkAnswer): Readonly<Record<string, number | undefined>> =>
  Object.fromEntries(shaped(Insights, answer).data.map(({ name, value }) => [name, value]));
