import { inProduction, tryGoogleCredentials } from '#server/networks/families/google/app';
import type { NetworkApp } from '#server/networks/network';
import { scopes } from './connect.ts';

export const app: NetworkApp = {
  scopes,
  permissions: {
    'https://www.googleapis.com/auth/business.manage': [
      'Manage your business profile',
      'To list its locations and to publish what you schedule, publish or approve.',
    ],
  },
  needs: [
    'access to the Business Profile APIs, granted by Google: until then the quota of the project is 0',
    'the APIs "My Business Account Management", "My Business Business Information" and "Google My Business" enabled',
    inProduction,
  ],
  api: () => ({ version: 'v4 for posts, v1 for locations' }),
  tryCredentials: tryGoogleCredentials,
};
