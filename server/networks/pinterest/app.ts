import type { NetworkApp } from '#server/networks/network';
import { madeUpGrant, tryMadeUpGrant } from '#server/networks/oauth2';
import { scopes } from './connect.ts';

export const app: NetworkApp = {
  scopes,
  needs: ['Standard access: with Trial access pins are visible to their author alone'],
  api: () => ({ version: 'v5' }),
  tryCredentials: (site) =>
    tryMadeUpGrant(site, {
      url: `${site.host('api')}/v5/oauth/token`,
      form: { grant_type: 'refresh_token', refresh_token: madeUpGrant },
      basic: true,
    }),
};
