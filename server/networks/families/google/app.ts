import type { NetworkApp } from '#server/networks/network';
import { madeUpGrant, tryMadeUpGrant } from '#server/networks/oauth2';

export const tryGoogleCredentials: NonNullable<NetworkApp['tryCredentials']> = (site) =>
  tryMadeUpGrant(site, {
    url: `${site.host('oauth')}/token`,
    form: {
      grant_type: 'refresh_token',
      refresh_token: madeUpGrant,
      client_id: site.registration.clientId,
      client_secret: site.registration.clientSecret,
    },
  });

export const inProduction =
  'the consent screen "In production": while it is "Testing", every connection ends after 7 days';
