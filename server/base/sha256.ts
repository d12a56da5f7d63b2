import { type BinaryToTextEncoding, createHash } from 'node:crypto';

interface Sha256 {
  (data: string | NodeJS.ArrayBufferView): Buffer;
  (data: string | NodeJS.ArrayBufferView, encoding: BinaryToTextEncoding): string;
}

export const sha256 = ((data: string, encoding?: BinaryToTextEncoding) => {
  const hash = createHash('sha256').update(data);
  return encoding === undefined ? hash.digest() : hash.digest(encoding);
}) as Sha256;
