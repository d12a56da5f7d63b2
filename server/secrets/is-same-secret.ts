import { timingSafeEqual } from 'node:crypto';

/** Takes equally long however many bytes agree. `timingSafeEqual` throws when the number of bytes differs. */
export const isSameSecret = (sent: string, expected: string) =>
  Buffer.byteLength(sent) === Buffer.byteLength(expected) && timingSafeEqual(Buffer.from(sent), Buffer.from(expected));
