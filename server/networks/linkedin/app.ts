import { linkedinApi, tryLinkedinCredentials } from '#server/networks/families/linkedin/app';
import type { NetworkApp } from '#server/networks/network';
import { scopes } from './connect.ts';

export const app: NetworkApp = {
  scopes,
  needs: ['the products "Sign In with LinkedIn using OpenID Connect" and "Share on LinkedIn"'],
  api: linkedinApi,
  tryCredentials: tryLinkedinCredentials,
};
