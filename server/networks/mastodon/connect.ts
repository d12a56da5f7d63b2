import { connectTo } from '#server/networks/families/mastodon/connect';
import { runsPixelfed } from '#server/networks/families/mastodon/server-facts';

export const scopes = ['read:accounts', 'read:statuses', 'write:statuses', 'write:media'];

export const connect = connectTo({
  name: 'Mastodon',
  usualServer: 'mastodon.social',
  scopes,
  // Servers before 4.3 ignore PKCE.
  pkce: true,
  // Many kinds of server speak Mastodon's API, with no common version format, so only Pixelfed is excluded.
  isIt: (version) => !runsPixelfed(version),
});
