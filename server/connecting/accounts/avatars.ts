import { notFound } from '#server/base/errors';
import type { Outbound } from '#server/base/outbound/guarded-client';
import { decodePicture } from '#server/base/pictures';
import type { AvatarStore } from './avatar-store.ts';

const maxBytes = 5 * 1024 * 1024;
const maxPixels = 16_000_000;
const sidePixels = 128;

export type Avatars = ReturnType<typeof createAvatars>;

/**
 * Avatars of accounts on live networks are fetched once and re-encoded, so that no page loads them from the network.
 */
export const createAvatars = ({ store, outbound }: { store: AvatarStore; outbound: Outbound }) => {
  const pendingFetches = new Map<string, Promise<Buffer | null>>();

  const fetchAvatar = async (accountId: string, url: string): Promise<Buffer | null> => {
    const answer = await outbound.request(url, { maxBytes });
    const image = answer.ok && answer.status === 200 ? await reencode(answer.body) : null;
    await store.save(accountId, url, image);
    return image;
  };

  /** Simultaneous requests for one avatar share a single fetch. */
  const fetchOnce = (accountId: string, url: string) => {
    const fetching =
      pendingFetches.get(accountId) ?? fetchAvatar(accountId, url).finally(() => pendingFetches.delete(accountId));
    pendingFetches.set(accountId, fetching);
    return fetching;
  };

  return {
    /** The image, or for a sandbox account its path on this server. */
    open: async (accountId: string): Promise<{ image: Buffer } | { path: string }> => {
      const avatar = await store.find(accountId);
      if (!avatar?.url) throw notFound('picture of the account', accountId);
      if (avatar.sandbox) return { path: new URL(avatar.url).pathname };
      const image = avatar.isOld ? await fetchOnce(accountId, avatar.url) : avatar.image;
      if (image === null) throw notFound('picture of the account', accountId);
      return { image };
    },
  };
};

const reencode = (bytes: Buffer): Promise<Buffer | null> =>
  decodePicture(bytes, maxPixels, (image) =>
    image
      .timeout({ seconds: 10 })
      .autoOrient()
      .resize(sidePixels, sidePixels, { fit: 'cover' })
      .webp({ quality: 80 })
      .toBuffer(),
  ).catch(() => null);
