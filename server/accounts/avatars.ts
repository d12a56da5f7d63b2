import { notFound } from '#server/errors';
import { loadSharp } from '#server/media/sharp';
import type { Outbound } from '#server/outbound/guarded-client';
import type { AvatarStore } from './store.ts';

const maxBytes = 5 * 1024 * 1024;
const maxPixels = 16_000_000;
const sidePixels = 128;

export type Avatars = ReturnType<typeof createAvatars>;

/** Pictures of accounts on live networks, fetched once and re-encoded: no page loads them from the network. */
export const createAvatars = ({ store, outbound }: { store: AvatarStore; outbound: Outbound }) => {
  const underWay = new Map<string, Promise<Buffer | null>>();

  const fetched = async (accountId: string, url: string): Promise<Buffer | null> => {
    const answer = await outbound.request(url, { maxBytes });
    const image = answer.ok && answer.status === 200 ? await drawn(answer.body) : null;
    await store.save(accountId, url, image);
    return image;
  };

  /** However many pages ask at once, the network is asked once. */
  const fetchOnce = (accountId: string, url: string) => {
    const running = underWay.get(accountId) ?? fetched(accountId, url).finally(() => underWay.delete(accountId));
    underWay.set(accountId, running);
    return running;
  };

  return {
    /** A picture, or for an account of the sandbox the address on this server where it is. */
    open: async (accountId: string): Promise<{ image: Buffer } | { path: string }> => {
      const found = await store.find(accountId);
      if (!found?.url) throw notFound('picture of the account', accountId);
      if (found.sandbox) return { path: new URL(found.url).pathname };
      const image = found.isOld ? await fetchOnce(accountId, found.url) : found.image;
      if (image === null) throw notFound('picture of the account', accountId);
      return { image };
    },
  };
};

const drawn = async (bytes: Buffer): Promise<Buffer | null> => {
  const sharp = await loadSharp();
  return sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error' })
    .timeout({ seconds: 10 })
    .autoOrient()
    .resize(sidePixels, sidePixels, { fit: 'cover' })
    .webp({ quality: 80 })
    .toBuffer()
    .catch(() => null);
};
