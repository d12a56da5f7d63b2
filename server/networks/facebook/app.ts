import { advancedAccess, graphApi, tryAppToken } from '#server/networks/families/meta/app';
import { graphVersion } from '#server/networks/families/meta/graph';
import type { NetworkApp } from '#server/networks/network';
import { permission } from '#server/networks/shared/permissions';
import { scopes } from './connect.ts';

export const app: NetworkApp = {
  scopes,
  permissions: {
    pages_show_list: ['See which Pages you manage', 'To let you choose among them.'],
    pages_read_engagement: permission.readPosts,
    pages_read_user_content: permission.readComments,
    pages_manage_posts: permission.publish,
    pages_manage_engagement: permission.comment,
    business_management: ['See the Pages of your business', 'Pages that a business owns are listed only with it.'],
    read_insights: permission.numbers,
  },
  needs: ['the product "Facebook Login"', advancedAccess, 'a verified business'],
  api: graphApi,
  tryCredentials: (site) => tryAppToken(site, `${site.host('graph')}/${graphVersion(site)}/oauth/access_token`),
};
