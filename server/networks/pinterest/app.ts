import type { NetworkApp } from '#server/networks/network';
import { madeUpGrant, tryMadeUpGrant } from '#server/networks/oauth2';
import { apiOf } from './api.ts';
import { scopes } from './connect.ts';

export const app: NetworkApp = {
  scopes,
  needs: [
    'Standard access, for which Pinterest wants to see a video of the app: with Trial access every pin is refused',
  ],
  api: () => ({ version: 'v5' }),
  tryCredentials: (site) =>
    tryMadeUpGrant(site, {
      url: `${apiOf(site)}/v5/oauth/token`,
      form: { grant_type: 'refresh_token', refresh_token: madeUpGrant },
      basic: true,
    }),
};
