import type { NetworkPost } from '#server/networks/network';
import { option } from '#server/networks/shared/post';

export const gifKey = 'threads.gif';

/**
 * `https://giphy.com/gifs/happy-cat-3oEjI6SIIHBdRxXI40`,
 * `https://media.giphy.com/media/3oEjI6SIIHBdRxXI40/giphy.gif`, or only the id.
 */
export const gifIn = (post: NetworkPost): string | undefined => {
  const value = option(post, gifKey);
  if (/^[A-Za-z0-9]+$/.test(value)) return value;
  const path = /^https:\/\/(?:[\w-]+\.)*(?:giphy\.com|gph\.is)\/(?:gifs|media|stickers|clips|embed)\/([^?#]+)/i.exec(
    value,
  )?.[1];
  return /(?:^|[-.])([A-Za-z0-9]+)$/.exec(path?.split('/').at(value.includes('/media/') ? -2 : 0) ?? '')?.[1];
};
