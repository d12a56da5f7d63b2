import type { NetworkApp } from '#server/networks/network';
import { permission } from '#server/networks/shared/permissions';
import { scopes } from './connect.ts';

export const app: NetworkApp = {
  scopes,
  permissions: {
    'read:accounts': permission.profile,
    'read:statuses': permission.readPosts,
    'write:statuses': permission.publish,
    'write:media': permission.upload,
  },
  needs: [],
  api: () => ({ version: 'v1, v2 for media and servers' }),
};
