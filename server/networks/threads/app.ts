import { tryAppToken } from '#server/networks/families/meta/app';
import type { NetworkApp } from '#server/networks/network';
import { scopes } from './connect.ts';

export const app: NetworkApp = {
  scopes,
  needs: [
    'the use case "Access the Threads API"',
    'review of these permissions: until then only Threads testers of the app can connect',
  ],
  api: () => ({ version: 'v1.0' }),
  tryCredentials: (site) => tryAppToken(site, `${site.host('graph')}/oauth/access_token`),
};
