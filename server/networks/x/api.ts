import { z } from 'zod';
import type { NetworkAccount, Site } from '#server/networks/network';
import { type NetworkAnswer, type NetworkRequest, retryAt, shaped } from '#server/networks/request';
import { NetworkTrouble } from '#server/networks/trouble';

type Access = Pick<NetworkAccount, 'tokens'>;
type ApiRequest = Omit<NetworkRequest, 'url'> & { readonly path: string };

/** Calls X's API with the account's token. Throws refusals as trouble. */
export const ask = async (site: Site, access: Access, request: ApiRequest): Promise<NetworkAnswer> => {
  const answer = await call(site, access, request);
  if (answer.status >= 400) throw troubleOf(answer, site.now());
  return answer;
};

const call = (site: Site, { tokens }: Access, { path, ...request }: ApiRequest): Promise<NetworkAnswer> =>
  site.request({
    ...request,
    url: site.host('api') + path,
    headers: { authorization: `Bearer ${tokens.accessToken}`, ...request.headers },
  });

/** X renamed its posts in the middle of v2. Its OpenAPI description has the new names, its pages still show the old ones. */
const spellings = [
  { parameter: 'tweet.fields', wholeText: 'note_tweet' },
  { parameter: 'post.fields', wholeText: 'note_post' },
] as const;
type Spelling = (typeof spellings)[number];

/** The spelling that each host last accepted. */
const acceptedSpellings = new Map<string, Spelling>();

/**
 * Reads posts with these fields. Retries with the other spelling when X does not know the first or omits the fields.
 */
export const readPosts = async <Schema extends z.ZodType>(
  site: Site,
  access: Access,
  { path, query, fields }: Pick<ApiRequest, 'path' | 'query'> & { fields: (spelling: Spelling) => readonly string[] },
  schema: Schema,
): Promise<z.output<Schema>> => {
  const host = site.host('api');
  const first = acceptedSpellings.get(host) ?? spellings[0];
  const readAs = (spelling: Spelling) =>
    call(site, access, { path, query: { ...query, [spelling.parameter]: fields(spelling).join(',') } });
  let answer = await readAs(first);
  if (!schema.safeParse(answer.json).success && isAboutFields(answer)) {
    const other = first === spellings[0] ? spellings[1] : spellings[0];
    const second = await readAs(other);
    if (schema.safeParse(second.json).success) {
      acceptedSpellings.set(host, other);
      answer = second;
    }
  }
  if (answer.status >= 400) throw troubleOf(answer, site.now());
  return shaped(schema, answer);
};

const isAboutFields = ({ status, text }: NetworkAnswer) =>
  status === 200 || (status === 400 && spellings.some(({ parameter }) => text.includes(parameter)));

const Problem = z.object({
  title: z.string().optional(),
  detail: z.string().optional(),
  type: z.string().optional(),
  errors: z.array(z.object({ message: z.string() })).optional(),
});

const troubleOf = ({ status, headers, json }: NetworkAnswer, now: Date) => {
  const problem = Problem.safeParse(json).data;
  const said = problem?.detail ?? problem?.errors?.[0]?.message ?? problem?.title ?? `HTTP ${status}`;
  const type = problem?.type === 'about:blank' ? undefined : problem?.type;
  const networkCode = type?.split('/').at(-1) ?? String(status);
  if (status === 401) return new NetworkTrouble('token', 'X refused our access.', { networkCode });
  if (status === 402) {
    return new NetworkTrouble(
      'temporary',
      'The X app of this server is out of credits: its operator has to buy more.',
      {
        networkCode: 'CreditsDepleted',
        // The request had no effect.
        reached: false,
      },
    );
  }
  if (status === 429) {
    const isDayOver = headers['x-user-limit-24hour-remaining'] === '0';
    const reset = isDayOver ? headers['x-user-limit-24hour-reset'] : undefined;
    const until = retryAt(reset ?? headers['retry-after'] ?? headers['x-rate-limit-reset'], now);
    return new NetworkTrouble('rateLimited', 'X asks to wait before the next post.', {
      networkCode,
      ...(until && { until }),
    });
  }
  if (status >= 500) return new NetworkTrouble('temporary', 'X is not available.', { networkCode });
  if (status === 403 && /\bquot(?:e|ing)/i.test(said)) {
    return new NetworkTrouble(
      'content',
      `X refused the quoted post (${said}) Remove x.quote; if every quote is refused, the X app of this server may not quote, and its operator has to ask X for a higher tier.`,
      { networkCode },
    );
  }
  if (status === 403 && /not been mentioned|otherwise engaged|\bsummon|\bmention(?:s|ing)\b/i.test(said)) {
    return new NetworkTrouble(
      'content',
      `X refused this reply or mention (${said}) On its self-serve tiers an app may reply only to people who mentioned or quoted the account, and mentions are limited. Make it one post without mentions; for more, the operator of this server has to ask X for a higher tier.`,
      { networkCode },
    );
  }
  if (status === 403 && /client-forbidden|not-authorized|oauth1-permissions/.test(networkCode)) {
    return new NetworkTrouble('permission', `X does not allow this to the account or the app: ${said}`, {
      networkCode,
    });
  }
  if (/duplicate/i.test(said)) {
    return new NetworkTrouble('content', 'X refused the post because the account has posted the same text before.', {
      networkCode: 'duplicate',
    });
  }
  return new NetworkTrouble(/media/i.test(said) ? 'media' : 'content', `X refused the post: ${said}`, { networkCode });
};
