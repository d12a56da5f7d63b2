import { countText, utf8Bytes } from '#server/networks/counting';
import type { Constraints } from './limits.ts';

export interface Length {
  readonly count: number;
  readonly max: number;
  readonly over: number;
  /** Over the second limit that some networks have. */
  readonly bytesOver: number;
}

/** How long a text is for a network, by the code that the server counts with. */
export const lengthOf = (
  { characters }: Constraints,
  body: string,
  options: Readonly<Record<string, string>>,
): Length => {
  const { max, maxBytes = Number.POSITIVE_INFINITY } = characters;
  const count = countText(characters, body, options);
  // A text has at least as many bytes as units; those that are far over need no exact number.
  const bytes = body.length > 4 * maxBytes ? body.length : utf8Bytes(body);
  return { count, max, over: Math.max(0, count - max), bytesOver: Math.max(0, bytes - maxBytes) };
};
