import { dayMs } from '#contracts/time';
import { bearer, failureOf, googleTrouble } from '#server/networks/families/google/api';
import type { NetworkAccount, Site } from '#server/networks/network';
import type { NetworkAnswer, NetworkRequest } from '#server/networks/request';
import { NetworkTrouble } from '#server/networks/trouble';

/** Calls YouTube's API with the account's token. Throws refusals as trouble. */
export const ask = async (
  site: Site,
  account: Pick<NetworkAccount, 'tokens'>,
  { path, ...request }: Omit<NetworkRequest, 'url'> & { path: string },
): Promise<NetworkAnswer> => {
  const answer = await site.request({
    ...request,
    url: site.host('api') + path,
    headers: { ...bearer(account), ...request.headers },
  });
  if (answer.status >= 400) throw troubleOf(answer, site.now());
  return answer;
};

export const troubleOf = (answer: NetworkAnswer, now: Date): NetworkTrouble => {
  const failure = failureOf(answer, now);
  const { code: networkCode, said, status, until } = failure;
  switch (networkCode) {
    case 'youtubeSignupRequired':
      return withoutChannel(networkCode);
    case 'quotaExceeded':
    case 'dailyLimitExceeded':
      return new NetworkTrouble(
        'rateLimited',
        'This server has used its daily YouTube quota. Publishing continues after midnight Pacific time.',
        { networkCode, until: until ?? nextPacificDay(now) },
      );
    case 'uploadLimitExceeded':
      return new NetworkTrouble('rateLimited', 'The channel has uploaded as many videos as YouTube allows in a day.', {
        networkCode,
        until: until ?? new Date(now.getTime() + dayMs / 4),
      });
    case 'rateLimitExceeded':
    case 'userRateLimitExceeded':
      return googleTrouble('YouTube', { ...failure, status: 429 });
    case 'mediaBodyRequired':
    case 'invalidFilename':
      return new NetworkTrouble('media', `YouTube could not use the video: ${said}`, { networkCode });
    case 'forbiddenPrivacySetting':
    case 'forbiddenLicenseSetting':
    case 'forbiddenEmbedSetting':
      return new NetworkTrouble('content', `YouTube refused an option of the video: ${said}`, { networkCode });
  }
  if (status === 413 || status === 415) {
    return new NetworkTrouble('media', `YouTube could not use the video: ${said}`, { networkCode });
  }
  return googleTrouble('YouTube', failure);
};

export const withoutChannel = (networkCode = 'youtubeSignupRequired') =>
  new NetworkTrouble(
    'permission',
    'This Google account has no YouTube channel. Create one on YouTube, then connect it again.',
    { networkCode },
  );

/** Daily quotas begin anew at midnight Pacific time; twice a year this is an hour off. */
const nextPacificDay = (now: Date) => {
  const clock = now.toLocaleTimeString('en-GB', { timeZone: 'America/Los_Angeles' });
  const [hours = 0, minutes = 0, seconds = 0] = clock.split(':').map(Number);
  return new Date(now.getTime() + dayMs - ((hours * 60 + minutes) * 60 + seconds) * 1000);
};
