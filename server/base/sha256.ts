import { type BinaryToTextEncoding, createHash } from 'node:crypto';

type Data = string | NodeJS.ArrayBufferView;

export function sha256(data: Data): Buffer;
export function sha256(data: Data, encoding: BinaryToTextEncoding): string;
export function sha256(data: Data, encoding?: BinaryToTextEncoding) {
  const hash = createHash('sha256').update(data);
  return encoding === undefined ? hash.digest() : hash.digest(encoding);
}
