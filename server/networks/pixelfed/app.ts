import type { NetworkApp } from '#server/networks/network';
import { permission } from '#server/networks/shared/permissions';
import { scopes } from './connect.ts';

export const app: NetworkApp = {
  scopes,
  permissions: {
    read: ['Read your account and your posts', 'To show results and to check that a post is there.'],
    write: permission.publish,
  },
  needs: [],
  api: () => ({ version: 'v1, v2 for media' }),
};
