import { countText, utf8Bytes } from '#server/networks/counting';
import type { Constraints } from './limits.ts';

export interface Length {
  readonly count: number;
  readonly max: number;
  readonly over: number;
  /** Over the byte limit that some networks have. */
  readonly bytesOver: number;
}

/** Uses the server's counting code. */
export const lengthOf = (
  { characters }: Constraints,
  body: string,
  options: Readonly<Record<string, string>>,
): Length => {
  const { max, maxBytes = Number.POSITIVE_INFINITY } = characters;
  const count = countText(characters, body, options);
  // UTF-8 has at least one byte per UTF-16 unit; far over the limit no exact count is needed.
  const bytes = body.length > 4 * maxBytes ? body.length : utf8Bytes(body);
  return { count, max, over: Math.max(0, count - max), bytesOver: Math.max(0, bytes - maxBytes) };
};
