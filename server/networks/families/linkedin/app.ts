import type { ApiVersion, NetworkApp, Site } from '#server/networks/network';
import { madeUpGrant, tryMadeUpGrant } from '#server/networks/oauth2';
import { versionOf } from './api.ts';

/** A version lives for a year, and is switched off in the middle of its month. */
export const linkedinApi = (site: Pick<Site, 'setting'>): ApiVersion => {
  const version = versionOf(site);
  const setting = 'LINKEDIN_VERSION';
  const [, year, month] = /^(20\d{2})(0[1-9]|1[0-2])$/.exec(version) ?? [];
  if (year === undefined) return { version, setting, expected: 'year and month, such as 202607' };
  return { version, endsOn: `${Number(year) + 1}-${month}-15`, setting };
};

export const tryLinkedinCredentials: NonNullable<NetworkApp['tryCredentials']> = (site, redirectUri) =>
  tryMadeUpGrant(site, {
    url: `${site.host('web')}/oauth/v2/accessToken`,
    form: {
      grant_type: 'authorization_code',
      code: madeUpGrant,
      redirect_uri: redirectUri,
      client_id: site.registration.clientId,
      client_secret: site.registration.clientSecret,
    },
  });
