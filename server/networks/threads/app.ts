import { tryAppToken } from '#server/networks/families/meta/app';
import type { NetworkApp } from '#server/networks/network';
import { permission } from '#server/networks/shared/permissions';
import { scopes } from './connect.ts';
import { locationScope } from './places.ts';

export const app: NetworkApp = {
  scopes,
  permissions: {
    threads_basic: permission.profile,
    threads_content_publish: permission.publish,
    threads_manage_replies: ['Reply for you', 'For the later posts of a thread.'],
    threads_read_replies: ['Read replies', 'To check that a reply is there.'],
    threads_manage_insights: permission.numbers,
    [locationScope]: ['Tag places', 'Only the place that you choose for a post.'],
  },
  needs: [
    'the use case "Access the Threads API"',
    'review of these permissions: until then only Threads testers of the app can connect',
  ],
  api: () => ({ version: 'v1.0' }),
  tryCredentials: (site) => tryAppToken(site, `${site.host('graph')}/oauth/access_token`),
};
