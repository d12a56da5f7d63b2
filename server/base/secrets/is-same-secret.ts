import { timingSafeEqual } from 'node:crypto';

/** Takes the same time however many bytes match. `timingSafeEqual` throws when the number of bytes differs. */
export const isSameSecret = (sent: string, expected: string) =>
  Buffer.byteLength(sent) === Buffer.byteLength(expected) && timingSafeEqual(Buffer.from(sent), Buffer.from(expected));
