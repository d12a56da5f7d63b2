import { createServerSandbox } from '#server/networks/families/mastodon/sandbox';
import type { Sandbox } from '#server/networks/sandbox';
import { invalid, maxCharacters, refusalsOf, refuse } from './sandbox-access.ts';
import { maxMedia, mountStatuses, polls } from './sandbox-statuses.ts';

const MiB = 1024 * 1024;

const scopes = ['read', 'write', 'read:accounts', 'read:statuses', 'write:statuses', 'write:media', 'profile'];

/** A server of Mastodon 4.5 as its reference describes it, with the limits that most servers have. */
const sandbox: Sandbox = (kit) => {
  const refusals = refusalsOf(kit);
  const made = createServerSandbox(kit, {
    domain: 'mastodon.sandbox',
    version: '4.5.2',
    hasInstanceV2: true,
    refusals,
    revokes: true,
    scopes,
    maxCharacters,
    maxMedia,
    polls,
    media: {
      types: [
        ...['image/jpeg', 'image/png', 'image/gif', 'image/heic', 'image/heif', 'image/webp', 'image/avif'],
        ...['video/webm', 'video/mp4', 'video/quicktime', 'video/ogg', 'audio/mpeg', 'audio/ogg'],
      ],
      maxBytes: (type) => (type.startsWith('image/') ? 16 : 99) * MiB,
      maxDescription: 1_500,
      takesFocus: (focus) => /^-?(?:0(?:\.\d+)?|1(?:\.0+)?),-?(?:0(?:\.\d+)?|1(?:\.0+)?)$/.test(focus),
      takesTime: (type) => type.startsWith('video/') || type === 'image/gif',
      readyStatus: 200,
      told: { description_limit: 1_500, image_matrix_limit: 33_177_600 },
    },
    invalid: (res, _field, words) => invalid(res, words),
    notFound: (res) => refuse(res, 404, 'Record not found'),
    tokens: async ({ person, scopes }) => ({
      access_token: await kit.grants.issue('access', { person, scopes }),
      token_type: 'Bearer',
      scope: scopes.join(' '),
      created_at: Math.floor(kit.now().getTime() / 1000),
    }),
    appFields: ({ scopes, redirectUris }) => ({ scopes, redirect_uris: redirectUris, client_secret_expires_at: 0 }),
    postPath: (handle, id) => `/@${handle}/${id}`,
    htmlBefore: ({ data }) => {
      const { quoted_status_id: quoted } = data as { quoted_status_id?: string };
      return quoted ? `<p class="quote-inline">RE: <a href="https://mastodon.sandbox/@x/${quoted}">a post</a></p>` : '';
    },
    ownFields: (post) => ({
      language: (post.data as { language?: string }).language ?? 'en',
      quotes_count: kit.numbers(post).quotes,
    }),
  });
  mountStatuses(kit, refusals, made);
  return made.router;
};

export default sandbox;
