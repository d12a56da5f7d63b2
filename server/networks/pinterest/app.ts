import type { NetworkApp } from '#server/networks/network';
import { madeUpGrant, tryMadeUpGrant } from '#server/networks/oauth2';
import { permission } from '#server/networks/shared/permissions';
import { apiOf } from './api.ts';
import { scopes } from './connect.ts';

export const app: NetworkApp = {
  scopes,
  permissions: {
    'user_accounts:read': permission.profile,
    'boards:read': ['See your boards', 'To let you choose one for a pin.'],
    'boards:write': ['Add to your boards', 'Pinterest wants it for a pin on a board.'],
    'pins:read': ['Read your pins and their numbers', 'To show results and to check that a pin is there.'],
    'pins:write': permission.publish,
  },
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
