import { z } from 'zod';
import { dayMs } from '#contracts/time';
import type { NetworkAccount, Site } from '#server/networks/network';
import { type Bytes, type NetworkAnswer, type NetworkRequest, retryAt } from '#server/networks/request';
import { NetworkTrouble } from '#server/networks/trouble';

export type Access = Pick<NetworkAccount, 'tokens'>;
export type ApiRequest = Omit<NetworkRequest, 'url'> & { readonly path: string };

const tooEarlyMs = 30_000;

/** Calls LinkedIn's API with the account's token. Throws refusals as trouble. */
export const ask = async (site: Site, access: Access, request: ApiRequest): Promise<NetworkAnswer> => {
  const answer = await call(site, access, request);
  if (answer.status >= 400) throw troubleOf(site, answer);
  return answer;
};

/** Like `ask`, but returns refusals, for callers that handle them. */
export const call = (site: Site, { tokens }: Access, { path, ...request }: ApiRequest): Promise<NetworkAnswer> =>
  site.request({
    ...request,
    url: site.host('api') + path,
    headers: {
      authorization: `Bearer ${tokens.accessToken}`,
      'LinkedIn-Version': versionOf(site),
      'X-Restli-Protocol-Version': '2.0.0',
      ...request.headers,
    },
  });

/** Uploads a file, or a part of one, to the address that LinkedIn gave. */
export const upload = async (site: Site, { tokens }: Access, url: string, bytes: Bytes): Promise<NetworkAnswer> => {
  const answer = await site.request({
    method: 'PUT',
    url,
    headers: { authorization: `Bearer ${tokens.accessToken}`, 'content-type': 'application/octet-stream' },
    bytes,
  });
  if (answer.status >= 400) throw uploadTroubleOf(site, answer);
  return answer;
};

/**
 * LinkedIn refused the request only because it came too early. Nothing was published, so it is retried as after a rate
 * limit.
 */
const tooEarly = (site: Site, message: string, networkCode: string) =>
  new NetworkTrouble('rateLimited', message, {
    networkCode,
    until: new Date(site.now().getTime() + tooEarlyMs),
  });

export const versionOf = (site: Pick<Site, 'setting'>) => site.setting('LINKEDIN_VERSION', '202607');

const Refusal = z.object({
  message: z.string().optional(),
  code: z.string().optional(),
  serviceErrorCode: z.number().optional(),
  errorDetails: z
    .object({
      inputErrors: z
        .array(z.object({ code: z.string().optional(), description: z.string().optional() }))
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
});

export const postUrn = /urn:li:(?:share|ugcPost|activity):\d+/;

export const troubleOf = (site: Site, answer: NetworkAnswer): NetworkTrouble => {
  const { status, json } = answer;
  const refusal = Refusal.safeParse(json).data;
  const input = refusal?.errorDetails?.inputErrors?.[0];
  const networkCode = input?.code ?? refusal?.code ?? String(refusal?.serviceErrorCode ?? status);
  const said = (refusal?.message || input?.description || `HTTP ${status}`).trim().replace(/\.$/, '');
  if (status === 401) return new NetworkTrouble('token', 'LinkedIn refused our access.', { networkCode });
  if (status === 403) {
    return new NetworkTrouble(
      'permission',
      `LinkedIn does not allow this to the member or the app: ${said}. Connect again and grant every permission; a page needs a member who administers it.`,
      { networkCode },
    );
  }
  if (status === 426) {
    return new NetworkTrouble(
      'temporary',
      `LinkedIn no longer speaks version ${versionOf(site)} of its API: the operator of this server has to set LINKEDIN_VERSION to a newer one.`,
      // The request had no effect.
      { networkCode, reached: false },
    );
  }
  if (status === 429) return rateLimited(site, answer, said, networkCode);
  if (status >= 500) return new NetworkTrouble('temporary', 'LinkedIn is not available.', { networkCode });
  if (networkCode === 'DUPLICATE_POST' || /duplicate of urn:li:/i.test(said)) {
    const urn = postUrn.exec(said)?.[0];
    return new NetworkTrouble(
      'content',
      `LinkedIn refused the post because the same text is there already${urn ? `: ${urn}` : '.'}`,
      { networkCode: 'DUPLICATE_POST' },
    );
  }
  if (networkCode === 'MEDIA_ASSET_WAITING_UPLOAD') {
    return tooEarly(site, 'LinkedIn still works on the media. The post is sent once it is done.', networkCode);
  }
  const isMedia = /media|image|video|asset/i;
  return new NetworkTrouble(
    isMedia.test(networkCode) || isMedia.test(said) ? 'media' : 'content',
    `LinkedIn refused the post: ${said}`,
    { networkCode },
  );
};

/** Quotas are per day and end at midnight UTC; no header says so. */
const rateLimited = (site: Site, { headers }: NetworkAnswer, said: string, networkCode: string) => {
  const now = site.now();
  const midnight = new Date((Math.floor(now.getTime() / dayMs) + 1) * dayMs);
  const isDaily = /\bDAY\b|_DAY\b/.test(said);
  const until = retryAt(headers['retry-after'], now) ?? (isDaily ? midnight : undefined);
  return new NetworkTrouble(
    'rateLimited',
    isDaily
      ? 'LinkedIn accepts no more requests from us today: its daily quota is used up.'
      : 'LinkedIn asks to wait before the next post.',
    { networkCode, ...(until && { until }) },
  );
};

/**
 * The upload host answers in plain HTTP, without a body. When it no longer accepts an address, preparing again gets a
 * new one.
 */
const uploadTroubleOf = (site: Site, answer: NetworkAnswer): NetworkTrouble => {
  const networkCode = String(answer.status);
  if (answer.status === 429) return rateLimited(site, answer, '', networkCode);
  if (answer.status >= 500 || [401, 403, 404, 410].includes(answer.status)) {
    return new NetworkTrouble('temporary', 'LinkedIn did not take the file. It is uploaded again.', { networkCode });
  }
  return new NetworkTrouble('media', `LinkedIn refused the file (HTTP ${networkCode}): choose another.`, {
    networkCode,
  });
};
