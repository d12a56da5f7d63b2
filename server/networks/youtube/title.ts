import type { NetworkPost } from '#server/networks/network';
import { firstItem, option } from '#server/networks/shared/post';

export const maxTitle = 100;

/** The title option, else the first line of the text, cut to YouTube's maximum. Empty when there is neither. */
export const titleOf = (post: NetworkPost): string => {
  const [firstLine = ''] = firstItem(post).body.trim().split('\n');
  return option(post, 'youtube.title') || [...firstLine].slice(0, maxTitle).join('').trim();
};
