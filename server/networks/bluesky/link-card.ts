import { z } from 'zod';
import { isUrl } from '#contracts/is-url';
import type { LinkCard, Network, NetworkPost, ReadLinkCard, Site } from '#server/networks/network';
import { cardPicture } from '#server/networks/shared/picture';
import { isOn } from '#server/networks/shared/post';
import { linksOf } from '#server/networks/short-links';
import { NetworkTrouble } from '#server/networks/trouble';

const maxTitle = 300;
const maxDescription = 1_000;
/** Longer texts are refused, so they get no card. */
const maxText = 3_000;
/** Items beyond this total length of a thread get a card with only the address. */
const maxThread = 30_000;

const Extract = z.object({
  error: z.string().optional(),
  title: z.string().trim().min(1),
  description: z.string().trim().default(''),
  image: z.string().default(''),
});

/** Limit for the picture of a card. */
const maxPictureBytes = 1_000_000;

/** Reads the page's metadata through the service that Bluesky's own app uses. A missing card must not fail the post. */
const read = async (site: Site, uri: string): Promise<ReadLinkCard | undefined> => {
  try {
    const { status, json } = await site.request({ url: `${site.host('cards')}/v1/extract`, query: { url: uri } });
    const page = Extract.safeParse(json).data;
    if (status !== 200 || page === undefined || page.error) return undefined;
    const [title, description] = [page.title.slice(0, maxTitle), page.description.slice(0, maxDescription)];
    return { uri, title: tidy(title), description: tidy(description), ...(await readPicture(site, page.image)) };
  } catch (error) {
    if (error instanceof NetworkTrouble) return undefined;
    throw error;
  }
};

/** A card without its picture is better than none. */
const readPicture = async (site: Site, url: string) => {
  if (!/^https?:\/\//.test(url) || !isUrl(url)) return undefined;
  try {
    const { status, bytes } = await site.request({ url, headers: { accept: 'image/*' } });
    return status === 200 ? await cardPicture(bytes, maxPictureBytes) : undefined;
  } catch (error) {
    if (error instanceof NetworkTrouble) return undefined;
    throw error;
  }
};

/** PostgreSQL cannot store lone surrogates and NUL characters. */
const tidy = (text: string) => text.toWellFormed().replaceAll('\0', '');

const plain = (uri: string): LinkCard => {
  const { host, pathname } = new URL(uri);
  return { uri, title: (host + pathname).replace(/\/$/, ''), description: '' };
};

const uriIn = (post: NetworkPost, { body, media }: NetworkPost['items'][number]) =>
  isOn(post, 'bluesky.link_card') && media.length === 0 && body.length <= maxText ? linksOf(body)[0]?.uri : undefined;

export const linkCards: NonNullable<Network['linkCards']> = {
  of: (post) => {
    let left = maxThread;
    const uris = post.items.flatMap((item) => {
      left -= item.body.length;
      return left < 0 ? [] : (uriIn(post, item) ?? []);
    });
    return [...new Set(uris)];
  },
  read,
  plain,
};

/** The stored card of this item, else a plain one. */
export const cardFor = (post: NetworkPost, item: NetworkPost['items'][number]): LinkCard | undefined => {
  const uri = uriIn(post, item);
  return uri === undefined ? undefined : (post.linkCards?.find((card) => card.uri === uri) ?? plain(uri));
};
