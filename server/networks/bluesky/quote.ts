import { z } from 'zod';
import type { NetworkAccount, NetworkPost, Sending, Site } from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { option } from '#server/networks/shared/post';
import { NetworkTrouble } from '#server/networks/trouble';
import { ask } from './api.ts';

export interface PostRef {
  readonly uri: string;
  readonly cid: string;
}

/** `https://bsky.app/profile/anna.example/post/3k…`, or `at://did:plc:…/app.bsky.feed.post/3k…`. */
const address =
  /^(?:https?:\/\/[^/]+(?:\/.*)?\/profile|at:\/)\/([\w.:%-]+)\/(?:post|app\.bsky\.feed\.post)\/([a-z2-7]{13})\/?$/i;

/** The author, as a handle or a DID, and the record key. */
export const quotedIn = (post: NetworkPost): { who: string; rkey: string } | undefined => {
  const [, who, rkey] = address.exec(option(post, 'bluesky.quote')) ?? [];
  return who !== undefined && rkey !== undefined ? { who, rkey } : undefined;
};

/** Undefined when nobody has the handle. */
export const didOf = async (site: Site, account: NetworkAccount, handle: string): Promise<string | undefined> => {
  try {
    const answer = await ask(site, account, { call: 'com.atproto.identity.resolveHandle', query: { handle } });
    return shaped(z.object({ did: z.string() }), answer).did;
  } catch (error) {
    // Refused, as opposed to not answered.
    if (error instanceof NetworkTrouble && error.kind === 'content') return undefined;
    throw error;
  }
};

const Posts = z.object({
  posts: z.array(
    z.object({
      uri: z.string(),
      cid: z.string(),
      viewer: z.object({ embeddingDisabled: z.boolean().optional() }).optional(),
    }),
  ),
});

export const findQuoted = async (site: Site, { account, post }: Sending): Promise<PostRef | undefined> => {
  const quoted = quotedIn(post);
  if (quoted === undefined) return undefined;
  const { who, rkey } = quoted;
  const did = who.startsWith('did:') ? who : await didOf(site, account, who);
  const uris = `at://${did}/app.bsky.feed.post/${rkey}`;
  const [original] = did
    ? shaped(Posts, await ask(site, account, { call: 'app.bsky.feed.getPosts', query: { uris } })).posts
    : [];
  if (original === undefined) {
    throw new NetworkTrouble('content', 'The quoted post is not on Bluesky: change or remove bluesky.quote.');
  }
  if (original.viewer?.embeddingDisabled) {
    throw new NetworkTrouble('content', 'The author of the quoted post allows no quotes: remove bluesky.quote.');
  }
  return { uri: original.uri, cid: original.cid };
};
