import { bearer, failureOf, type GoogleFailure, googleTrouble } from '#server/networks/families/google/api';
import type { NetworkAccount, Site } from '#server/networks/network';
import type { NetworkAnswer, NetworkRequest } from '#server/networks/request';
import { NetworkTrouble } from '#server/networks/trouble';

/** Calls one of the Business Profile APIs with the account's token. Throws refusals as trouble. */
export const ask = async (
  site: Site,
  account: Pick<NetworkAccount, 'tokens'>,
  { host, path, ...request }: Omit<NetworkRequest, 'url'> & { host: Host; path: string },
): Promise<NetworkAnswer> => {
  const answer = await site.request({ ...request, url: site.host(host) + path, headers: bearer(account) });
  if (answer.status >= 400) throw troubleOf(answer, site.now());
  return answer;
};

type Host = 'management' | 'information' | 'posts';

const troubleOf = (answer: NetworkAnswer, now: Date): NetworkTrouble => {
  const failure = failureOf(answer, now);
  const { code: networkCode, said, status } = failure;
  if (status === 429 && failure.withoutQuota) {
    return new NetworkTrouble(
      'permission',
      'Google has not approved this server for the Business Profile APIs: its operator has to apply for access.',
      { networkCode },
    );
  }
  if (status === 404) {
    return new NetworkTrouble(
      'permission',
      'Google does not find it: the location is gone, or the account no longer manages it.',
      { networkCode },
    );
  }
  if (status === 400 && isAboutMedia(failure)) {
    return new NetworkTrouble('media', `Google could not use the image: ${said}`, { networkCode });
  }
  return googleTrouble('Google', failure);
};

/** Codes from 1000 to 1099 are about photos. Without a code, the message decides. */
const isAboutMedia = ({ fields, said }: GoogleFailure) =>
  fields.some(({ code = 0, field = '' }) => (code >= 1000 && code < 1100) || /media|source_?url/i.test(field)) ||
  /\b(image|photo|media)/i.test(said);
