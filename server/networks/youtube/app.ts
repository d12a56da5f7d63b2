import { inProduction, tryGoogleCredentials } from '#server/networks/families/google/app';
import type { NetworkApp } from '#server/networks/network';
import { scopes } from './connect.ts';

export const app: NetworkApp = {
  scopes,
  permissions: {
    'https://www.googleapis.com/auth/youtube.upload': ['Upload videos', 'Only what you schedule, publish or approve.'],
    'https://www.googleapis.com/auth/youtube.readonly': [
      'Read your channel and its numbers',
      'To show results and to check that a video is there.',
    ],
    'https://www.googleapis.com/auth/youtube.force-ssl': [
      'Manage videos and comments',
      'For playlists, captions and the first comment.',
    ],
  },
  needs: [
    '"YouTube Data API v3" enabled in the project',
    inProduction,
    'the audit for the YouTube API Services: until then videos stay private',
  ],
  api: () => ({ version: 'v3' }),
  tryCredentials: tryGoogleCredentials,
};
