import { z } from 'zod';
import type { NetworkAccount, Site } from '#server/networks/network';
import { type NetworkAnswer, type NetworkRequest, retryAt } from '#server/networks/request';
import { NetworkTrouble, type TroubleKind } from '#server/networks/trouble';

/** Calls the account's server with the account's token. Throws refusals as trouble. */
export const ask = async (
  site: Site,
  { tokens }: Pick<NetworkAccount, 'tokens'>,
  { call, ...request }: Omit<NetworkRequest, 'url'> & { call: string },
): Promise<NetworkAnswer> => {
  const answer = await site.request({
    ...request,
    url: `${site.server}/xrpc/${call}`,
    headers: { authorization: `Bearer ${tokens.accessToken}`, ...request.headers },
  });
  if (answer.status >= 400) throw troubleOf(answer, site.now());
  return answer;
};

const Refusal = z.object({ error: z.string().optional(), message: z.string().optional() });

/** Most errors come with status 400, so the name says more than the status. */
const byName = new Map<string, TroubleKind>([
  ['AuthMissing', 'token'],
  ['AuthenticationRequired', 'token'],
  ['ExpiredToken', 'token'],
  ['InvalidToken', 'token'],
  ['AccountTakedown', 'permission'],
  ['AccountSuspended', 'permission'],
  ['AccountDeactivated', 'permission'],
  ['InsufficientScope', 'permission'],
  ['UploadForbidden', 'permission'],
  ['RateLimitExceeded', 'rateLimited'],
  ['DailyLimitExceeded', 'rateLimited'],
  ['BlobNotFound', 'temporary'],
  ['BlobTooLarge', 'media'],
  ['InvalidBlob', 'media'],
  ['InvalidMimeType', 'media'],
  ['PayloadTooLarge', 'media'],
  ['VideoTooLarge', 'media'],
  ['VideoTooLong', 'media'],
  ['InvalidSwap', 'temporary'],
]);

const byStatus = new Map<number, TroubleKind>([
  [401, 'token'],
  [403, 'permission'],
  [413, 'media'],
  [429, 'rateLimited'],
]);

const kindOf = (status: number, name: string, said: string): TroubleKind => {
  if (status >= 500) return 'temporary';
  const isAboutMedia = /\bblob\b|embed\W+(images|video)/i.test(said);
  return byName.get(name) ?? byStatus.get(status) ?? (isAboutMedia ? 'media' : 'content');
};

export const troubleOf = ({ status, headers, json }: NetworkAnswer, now: Date): NetworkTrouble => {
  const { error, message } = Refusal.safeParse(json).data ?? {};
  const networkCode = error ?? String(status);
  const said = message ?? error ?? `HTTP ${status}`;
  const kind = kindOf(status, networkCode, said);
  const until = kind === 'rateLimited' && retryAt(headers['retry-after'] ?? headers['ratelimit-reset'], now);
  return new NetworkTrouble(kind, sentences[kind](words.get(networkCode) ?? said), {
    networkCode,
    ...(until && { until }),
    // Nothing was written: the post works after a new upload.
    reached: networkCode !== 'BlobNotFound',
  });
};

/** Our wording for errors whose message does not help people. */
const words = new Map([
  ['BlobNotFound', 'it no longer has a file that was uploaded'],
  ['PayloadTooLarge', 'the server of the account accepts no file as large as this one'],
]);

export const isGone = (error: unknown): boolean =>
  error instanceof NetworkTrouble && error.networkCode === 'RecordNotFound';

const sentences: Readonly<Record<TroubleKind, (said: string) => string>> = {
  token: (said) => `Bluesky refused our access (${said}).`,
  permission: (said) => `Bluesky does not allow this to the account: ${said}`,
  rateLimited: () => 'Bluesky asks to wait before the next request.',
  content: (said) => `Bluesky refused the post: ${said}`,
  media: (said) => `Bluesky refused the media: ${said}`,
  temporary: (said) => `Bluesky is not available (${said}).`,
  unknown: (said) => `Bluesky gave an answer that is not understood (${said}).`,
};
