import { z } from 'zod';
import {
  absent,
  type Confirmation,
  type LinkCard,
  type NetworkPost,
  type Preparation,
  type PublishMedia,
  ready,
  type SendEnd,
  type Sending,
  type Sent,
  type Site,
  sent,
  waiting,
} from '#server/networks/network';
import { bytesOf, shaped } from '#server/networks/request';
import { isGif, list, option } from '#server/networks/shared/post';
import { withShortLinks } from '#server/networks/short-links';
import { ask, isGone } from './api.ts';
import { type Facet, facetsOf, handlesOf } from './facets.ts';
import { cardFor } from './link-card.ts';
import { askJob, type Blob, uploadAll, uploadBytes } from './media.ts';
import { didOf, findQuoted, type PostRef } from './quote.ts';
import { recordKeyOf } from './record-key.ts';

const askAgainMs = 3_000;
const posts = 'app.bsky.feed.post';

export interface Prepared {
  /** The job of the video service, which is still processing the video. */
  readonly job?: string;
  readonly blobs: readonly Blob[];
  readonly facets: readonly Facet[];
  readonly card?: LinkCard;
  /** The picture of the card. */
  readonly thumb?: Blob;
  readonly captions?: readonly Captions[];
  readonly quoted?: PostRef;
}

export const prepare = async (site: Site, sending: Sending, checkpoint?: Prepared): Promise<Preparation<Prepared>> => {
  const uploaded = await (checkpoint?.job === undefined ? uploadAll(site, sending) : askJob(site, checkpoint.job));
  if ('job' in uploaded) return waiting({ job: uploaded.job, blobs: [], facets: [] }, askAgainMs);
  const card = cardFor(sending.post, sending.part);
  const quoted = sending.index === 0 ? await findQuoted(site, sending) : undefined;
  return ready({
    blobs: uploaded.blobs,
    facets: facetsOf(withShortLinks(sending.part.body), await didsOf(site, sending)),
    ...(card && { card }),
    ...(quoted && { quoted }),
    ...(card?.picture && { thumb: await uploadPicture(site, sending, card.picture) }),
    ...(await uploadCaptions(site, sending)),
  });
};

const uploadPicture = async (site: Site, sending: Sending, picture: string) => {
  const bytes = await sending.readPicture?.(picture);
  if (bytes === undefined) throw new Error(`the picture of a link card is gone: ${picture}`);
  return uploadBytes(site, sending, 'image/jpeg', bytesOf(bytes));
};

interface Captions {
  readonly lang: string;
  readonly file: Blob;
}

/** Captions for the video of the first post, in the first language of the text. */
const uploadCaptions = async (site: Site, sending: Sending): Promise<{ captions: Captions[] } | undefined> => {
  const { post, part, index } = sending;
  const text = option(post, 'bluesky.captions');
  const [lang] = list(post, 'bluesky.languages');
  if (text === '' || lang === undefined || index > 0 || part.media[0]?.kind !== 'Video') return undefined;
  return { captions: [{ lang, file: await uploadBytes(site, sending, 'text/vtt', bytesOf(Buffer.from(text))) }] };
};

const didsOf = async (site: Site, { account, part }: Sending) => {
  const dids: Record<string, string> = {};
  for (const handle of handlesOf(part.body)) {
    const did = await didOf(site, account, handle);
    if (did !== undefined) dids[handle] = did;
  }
  return dids;
};

const rkeyOf = ({ key, firstTriedAt }: Sending) => recordKeyOf({ key, since: firstTriedAt });

const Applied = z.object({ results: z.tuple([z.object({ uri: z.string(), cid: z.string() })], z.unknown()) });

export const send = async (site: Site, sending: Sending, prepared: Prepared): Promise<SendEnd<Prepared>> => {
  const rkey = rkeyOf(sending);
  const writes = [{ collection: posts, value: recordOf(sending, prepared) }, ...gatesOf(sending, rkey)];
  // All in one commit, so that nobody can reply or quote before it is forbidden, and the post first, since gates to a post
  // that is not there yet have no effect. A key that exists is refused, so this never makes a second post.
  const answer = await ask(site, sending.account, {
    call: 'com.atproto.repo.applyWrites',
    json: {
      repo: sending.account.id,
      writes: writes.map((write) => ({ $type: 'com.atproto.repo.applyWrites#create', rkey, ...write })),
    },
  });
  return posted(site, sending, shaped(Applied, answer).results[0]);
};

const posted = (site: Site, { account }: Sending, { uri, cid }: { uri: string; cid: string }) =>
  sent({
    externalId: uri,
    url: `${site.link('web')}/profile/${account.id}/post/${uri.split('/').at(-1)}`,
    ref: { cid },
  });

const recordOf = ({ post, part, out, since }: Sending, content: Prepared) => {
  const langs = list(post, 'bluesky.languages');
  const label = option(post, 'bluesky.content_label');
  const embed = embedOf(part.media, content);
  const [root] = out;
  const parent = out.at(-1);
  return {
    $type: posts,
    text: withShortLinks(part.body).text,
    createdAt: since.toISOString(),
    ...(content.facets.length > 0 && { facets: content.facets }),
    ...(root && parent && { reply: { root: strongRef(root), parent: strongRef(parent) } }),
    ...(embed && { embed }),
    ...(langs.length > 0 && { langs }),
    ...(label !== '' &&
      label !== 'none' && { labels: { $type: 'com.atproto.label.defs#selfLabels', values: [{ val: label }] } }),
  };
};

const Ref = z.object({ cid: z.string() });

const strongRef = ({ externalId, ref }: Sent) => ({ uri: externalId, cid: Ref.parse(ref).cid });

const embedOf = (media: readonly PublishMedia[], prepared: Prepared) => {
  const attached = attachedOf(media, prepared);
  if (prepared.quoted === undefined) return attached;
  const quote = { $type: 'app.bsky.embed.record', record: prepared.quoted };
  return attached ? { $type: 'app.bsky.embed.recordWithMedia', record: quote, media: attached } : quote;
};

/** More are shown as a gallery, which older apps do not know. */
const mostImages = 4;

const attachedOf = (media: readonly PublishMedia[], { blobs, card, thumb, captions }: Prepared) => {
  const [first] = media;
  if (first === undefined) return card && externalOf(card, thumb);
  // The video service turns a GIF into a video; without the service it stays an image.
  if (blobs[0]?.mimeType.startsWith('video/')) {
    const about = { ...(first.alt && { alt: first.alt }), ...(captions && { captions }) };
    const presentation = isGif(first) ? { presentation: 'gif' } : {};
    return { $type: 'app.bsky.embed.video', video: blobs[0], ...about, aspectRatio: ratioOf(first), ...presentation };
  }
  const images = media.map((image, index) => ({
    image: blobs[index],
    alt: image.alt ?? '',
    aspectRatio: ratioOf(image),
  }));
  if (images.length <= mostImages) return { $type: 'app.bsky.embed.images', images };
  const gallery = 'app.bsky.embed.gallery';
  return { $type: gallery, items: images.map((image) => ({ $type: `${gallery}#image`, ...image })) };
};

const externalOf = ({ uri, title, description }: LinkCard, thumb: Blob | undefined) => ({
  $type: 'app.bsky.embed.external',
  external: { uri, title, description, ...(thumb && { thumb }) },
});

const ratioOf = ({ width, height }: PublishMedia) => ({ width, height });

const allowed: Readonly<Record<string, readonly string[]>> = {
  mentioned: ['mentionRule'],
  following: ['followingRule'],
  followers: ['followerRule'],
  nobody: [],
};

/** The first post sets who may reply to the whole thread; quotes are set for each post. */
const gatesOf = ({ account, post, index, since }: Sending, rkey: string) => {
  const about = { post: `at://${account.id}/${posts}/${rkey}`, createdAt: since.toISOString() };
  const rules = index === 0 ? rulesOf(post) : undefined;
  return [
    ...(rules
      ? [
          gate('app.bsky.feed.threadgate', {
            ...about,
            allow: rules.map((rule) => ({ $type: `app.bsky.feed.threadgate#${rule}` })),
          }),
        ]
      : []),
    ...(option(post, 'bluesky.allow_quotes') === 'false'
      ? [
          gate('app.bsky.feed.postgate', {
            ...about,
            embeddingRules: [{ $type: 'app.bsky.feed.postgate#disableRule' }],
          }),
        ]
      : []),
  ];
};

const rulesOf = (post: NetworkPost) => allowed[option(post, 'bluesky.reply_control')];

const gate = (collection: string, value: object) => ({ collection, value: { $type: collection, ...value } });

const PostRecord = z.object({ uri: z.string(), cid: z.string(), value: z.object({ text: z.string() }) });

export const confirm = async (site: Site, sending: Sending): Promise<Confirmation<Prepared>> => {
  const query = { repo: sending.account.id, collection: posts, rkey: rkeyOf(sending) };
  try {
    const answer = await ask(site, sending.account, { call: 'com.atproto.repo.getRecord', query });
    const { value, ...ref } = shaped(PostRecord, answer);
    // Another post under the same key, however unlikely, is not ours.
    const { body } = sending.part;
    return [body, withShortLinks(body).text].includes(value.text) ? posted(site, sending, ref) : absent;
  } catch (error) {
    if (isGone(error)) return absent;
    throw error;
  }
};
