import type { NetworkApp } from '#server/networks/network';
import { madeUpGrant, tryMadeUpGrant } from '#server/networks/oauth2';
import { permission } from '#server/networks/shared/permissions';
import { scopes } from './connect.ts';

export const app: NetworkApp = {
  scopes,
  permissions: {
    'tweet.read': permission.readPosts,
    'tweet.write': permission.publish,
    'users.read': permission.profile,
    'media.write': permission.upload,
    'offline.access': ['Stay connected', 'Else you sign in again every 2 hours.'],
  },
  needs: [
    'a project with credits or a tier: without them every post is refused',
    'under "User authentication settings" the type "Web App", with read and write access',
  ],
  api: () => ({ version: 'v2' }),
  tryCredentials: (site) =>
    tryMadeUpGrant(site, {
      url: `${site.host('api')}/2/oauth2/token`,
      form: { grant_type: 'refresh_token', refresh_token: madeUpGrant },
      basic: true,
    }),
};
