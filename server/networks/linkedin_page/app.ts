import { linkedinApi, tryLinkedinCredentials } from '#server/networks/families/linkedin/app';
import type { NetworkApp } from '#server/networks/network';
import { scopes } from './connect.ts';

export const app: NetworkApp = {
  scopes,
  needs: ['the product "Community Management API", in an app that has no other; LinkedIn reviews it'],
  api: linkedinApi,
  tryCredentials: tryLinkedinCredentials,
};
