import { z } from 'zod';
import type { NetworkAccount, Site } from '#server/networks/network';
import { type NetworkAnswer, type NetworkRequest, retryAt } from '#server/networks/request';
import { NetworkTrouble } from '#server/networks/trouble';

/** Calls Pinterest's API with the account's token. Throws refusals as trouble, except the status in `accepted`. */
export const ask = async (
  site: Site,
  { tokens }: Pick<NetworkAccount, 'tokens'>,
  { path, accepted, ...request }: Omit<NetworkRequest, 'url'> & { path: string; accepted?: number },
): Promise<NetworkAnswer> => {
  const answer = await site.request({
    ...request,
    url: `${apiOf(site)}/v5${path}`,
    headers: { authorization: `Bearer ${tokens.accessToken}`, ...request.headers },
  });
  if (answer.status >= 400 && answer.status !== accepted) throw troubleOf(answer, site.now());
  return answer;
};

/** Apps with Trial access may publish only at Pinterest's own sandbox. */
export const apiOf = (site: Site): string =>
  site.host(site.setting('PINTEREST_TRIAL', 'false') === 'true' ? 'trial' : 'api');

const Refusal = z.object({ code: z.number().optional(), message: z.string().optional() });

/** Pinterest's own code for a scope that is missing; it comes with 401, like a token that is refused. */
const scopeMissing = 3;
/** Production refuses every pin of an app with Trial access. */
const trialAccess = 29;
const aboutMedia = /\b(image|images|media|video|cover)\b/i;

const troubleOf = ({ status, headers, json }: NetworkAnswer, now: Date) => {
  const refusal = Refusal.safeParse(json).data;
  const said = refusal?.message ?? `HTTP ${status}`;
  const networkCode = String(refusal?.code ?? status);
  if (status === 429) {
    const until = retryAt(headers['retry-after'] ?? headers['x-ratelimit-reset'], now);
    return new NetworkTrouble('rateLimited', 'Pinterest asks to wait before the next pin.', {
      networkCode,
      ...(until && { until }),
    });
  }
  if (status >= 500) return new NetworkTrouble('temporary', 'Pinterest is not available.', { networkCode });
  if (status === 401 && refusal?.code !== scopeMissing) {
    return new NetworkTrouble('token', 'Pinterest refused our access.', { networkCode });
  }
  if (refusal?.code === trialAccess) {
    return new NetworkTrouble(
      'permission',
      'Pinterest accepts no pins from an app with Trial access: the operator of this server has to ask Pinterest for Standard access. To try pins before that, they set PINTEREST_TRIAL to true.',
      { networkCode },
    );
  }
  if (status !== 401 && status !== 404 && aboutMedia.test(said)) {
    return new NetworkTrouble('media', `Pinterest refused the media: ${said}`, { networkCode });
  }
  if (status === 401 || status === 403) {
    return new NetworkTrouble('permission', `Pinterest does not allow this to the account or the app: ${said}`, {
      networkCode,
    });
  }
  return new NetworkTrouble('content', `Pinterest refused the pin: ${said}`, { networkCode });
};

/** Videos go to an upload host that is not Pinterest and answers in XML. Its addresses expire. */
export const storeTrouble = ({ status }: NetworkAnswer): NetworkTrouble =>
  status === 400 || status === 413
    ? new NetworkTrouble('media', 'Pinterest did not take the video. Choose another.', { networkCode: String(status) })
    : new NetworkTrouble('temporary', 'Pinterest did not take the video right now.', { networkCode: String(status) });
