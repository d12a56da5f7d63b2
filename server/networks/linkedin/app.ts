import { linkedinApi, tryLinkedinCredentials } from '#server/networks/families/linkedin/app';
import type { NetworkApp } from '#server/networks/network';
import { permission } from '#server/networks/shared/permissions';
import { scopes } from './connect.ts';

export const app: NetworkApp = {
  scopes,
  permissions: {
    openid: ['Know that it is you', 'To recognise your account when you connect it again.'],
    profile: permission.profile,
    w_member_social: permission.publish,
  },
  needs: ['the products "Sign In with LinkedIn using OpenID Connect" and "Share on LinkedIn"'],
  api: linkedinApi,
  tryCredentials: tryLinkedinCredentials,
};
