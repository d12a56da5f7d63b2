import { inProduction, tryGoogleCredentials } from '#server/networks/families/google/app';
import type { NetworkApp } from '#server/networks/network';
import { scopes } from './connect.ts';

export const app: NetworkApp = {
  scopes,
  needs: [
    '"YouTube Data API v3" enabled in the project',
    inProduction,
    'the audit for the YouTube API Services: until then videos stay private',
  ],
  api: () => ({ version: 'v3' }),
  tryCredentials: tryGoogleCredentials,
};
