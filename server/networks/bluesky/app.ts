import type { NetworkApp } from '#server/networks/network';

export const app: NetworkApp = {
  scopes: ['com.atproto.appPass'],
  permissions: {},
  needs: [],
  // Records and calls are never changed, only replaced by others of a new name.
  api: () => ({}),
};
