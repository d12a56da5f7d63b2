import type { NetworkPost } from '#server/networks/network';
import { list } from '#server/networks/shared/post';

export const tagsKey = 'instagram.user_tags';

/** `anna`, or `anna:0.3:0.7` with the place on the image, from the left and from the top. */
const shape = /^@?([A-Za-z0-9._]{1,30})(?::(0(?:\.\d+)?|1(?:\.0+)?):(0(?:\.\d+)?|1(?:\.0+)?))?$/;

export const isTag = (entry: string): boolean => shape.test(entry);

/** An image needs a place for each; without one they stand in a row near the lower edge. */
export const tagsOf = (post: NetworkPost, on: 'image' | 'video') => {
  const entries = list(post, tagsKey);
  return entries.map((entry, index) => {
    const [, username = entry, x, y] = shape.exec(entry) ?? [];
    if (on === 'video') return { username };
    const between = Math.round(((index + 1) / (entries.length + 1)) * 100) / 100;
    return { username, x: Number(x ?? between), y: Number(y ?? 0.85) };
  });
};
