import { advancedAccess, graphApi, tryAppToken } from '#server/networks/families/meta/app';
import { graphVersion } from '#server/networks/families/meta/graph';
import type { NetworkApp } from '#server/networks/network';
import { scopes } from './connect.ts';

export const app: NetworkApp = {
  scopes,
  needs: ['the product "Facebook Login"', advancedAccess, 'a verified business'],
  api: graphApi,
  tryCredentials: (site) => tryAppToken(site, `${site.host('graph')}/${graphVersion(site)}/oauth/access_token`),
};
