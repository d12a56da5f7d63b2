import { linkedinApi, tryLinkedinCredentials } from '#server/networks/families/linkedin/app';
import type { NetworkApp } from '#server/networks/network';
import { permission } from '#server/networks/shared/permissions';
import { scopes } from './connect.ts';

export const app: NetworkApp = {
  scopes,
  permissions: {
    r_organization_social: permission.readPosts,
    w_organization_social: permission.publish,
    r_organization_social_feed: permission.readComments,
    w_organization_social_feed: permission.comment,
    rw_organization_admin: ['See which pages you manage', 'To let you choose among them.'],
  },
  needs: ['the product "Community Management API", in an app that has no other; LinkedIn reviews it'],
  api: linkedinApi,
  tryCredentials: tryLinkedinCredentials,
};
