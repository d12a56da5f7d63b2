import { z } from 'zod';
import type { NetworkAccount, Site } from '#server/networks/network';
import { type NetworkAnswer, type NetworkRequest, retryAt } from '#server/networks/request';
import { NetworkTrouble, type TroubleKind } from '#server/networks/trouble';

/** Calls the account's server with the account's token. Throws refusals as trouble. */
export const ask = async (
  site: Site,
  { tokens }: Pick<NetworkAccount, 'tokens'>,
  { path, ...request }: Omit<NetworkRequest, 'url'> & { path: string },
): Promise<NetworkAnswer> => {
  const answer = await site.request({
    ...request,
    url: site.server + path,
    headers: { authorization: `Bearer ${tokens.accessToken}`, ...request.headers },
  });
  if (answer.status >= 400) throw troubleOf(site, path, answer);
  return answer;
};

export const hostOf = ({ server }: Site): string => new URL(server).host;

/** The network code for a post that Pixelfed has already received. */
export const duplicateKey = 'DuplicateIdempotencyKey';

/**
 * Mastodon sends `error`. Laravel, on which Pixelfed is built, sends `message` and the invalid fields, or only a text.
 */
const Refusal = z.union([
  z.string().transform((error) => ({ error, message: null, errors: null })),
  z.object({
    error: z.string().nullish().catch(null),
    message: z.string().nullish().catch(null),
    errors: z.record(z.string(), z.array(z.string())).nullish().catch(null),
  }),
]);

export const troubleOf = (site: Site, path: string, answer: NetworkAnswer): NetworkTrouble => {
  const { name } = site;
  const refusal = Refusal.safeParse(answer.json).data;
  const invalid = Object.values(refusal?.errors ?? {}).flat();
  const said = invalid.join(' ') || refusal?.error || refusal?.message || '';
  const status = meantStatus(answer.status, said, invalid.length > 0);
  const trouble = (kind: TroubleKind, message: string, networkCode = String(status)) =>
    new NetworkTrouble(kind, message, { networkCode });

  if (status === 401) return trouble('token', `${name} no longer accepts our access. Connect the account again.`);
  if (status === 429) {
    const until = retryAt(answer.headers['retry-after'] ?? answer.headers['x-ratelimit-reset'], site.now());
    return new NetworkTrouble('rateLimited', `${name} asks to wait before the next request.`, {
      networkCode: '429',
      ...(until && { until }),
    });
  }
  if (status >= 500) return trouble('temporary', `${name} is not available. Try again later.`);
  if (/duplicate idempotency key/i.test(said)) {
    return trouble('unknown', `${name} has got this post before, but does not show it.`, duplicateKey);
  }
  if (/not finished processing/i.test(said)) return trouble('temporary', `${name} still works on the media.`);
  if (status === 403 && !/media|mime|size limit|empty statuses/i.test(said)) {
    if (said === '' && /^\s*</.test(answer.text)) {
      return trouble('temporary', `${name} answered with a web page, perhaps from a firewall. Try again later.`);
    }
    const words = said === '' ? '' : ` (${said})`;
    return trouble('permission', `${name} does not allow this${words}. Connect the account again and allow all of it.`);
  }
  const words = said || `HTTP ${status}`;
  const isMedia = path.includes('/media') || [413, 451].includes(status) || aboutMedia.test(said);
  return isMedia
    ? trouble('media', `${name} refused the media: ${words}`)
    : trouble('content', `${name} refused the post: ${words}`);
};

const aboutMedia = /media|file|image|video|attach|mime/i;

/** Older Pixelfed servers answer 500 to whatever their framework refuses. */
const meantStatus = (status: number, said: string, isInvalid: boolean): number => {
  if (/^unauthenticated|requires an authenticated user/i.test(said)) return 401;
  if (status !== 500) return status;
  if (isInvalid) return 422;
  return /^no query results for model/i.test(said) ? 404 : status;
};
