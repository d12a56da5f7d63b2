import { connectTo } from '#server/networks/families/mastodon/connect';
import { runsPixelfed } from '#server/networks/families/mastodon/server-facts';

export const scopes = ['read:accounts', 'read:statuses', 'write:statuses', 'write:media'];

export const connect = connectTo({
  name: 'Mastodon',
  usualServer: 'mastodon.social',
  scopes,
  // Servers before 4.3 do not look at it.
  pkce: true,
  // Many kinds of server speak its API, and their versions say so in no common way.
  isIt: (version) => !runsPixelfed(version),
});
