import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const prefix = 'posthorn_pat_';
const shape = /^posthorn_pat_[0-9A-Za-z]{42}$/;

/** `posthorn_pat_` + 36 random base62 characters + 6 of the CRC32 of what stands before. */
export const newToken = () => {
  const body = prefix + randomBase62(36);
  return body + checksum(body);
};

/** Tells junk from a token without asking the database. */
export const looksLikeToken = (text: string) => shape.test(text) && checksum(text.slice(0, -6)) === text.slice(-6);

/** The secret is random, so a fast hash is the right one. */
export const hashToken = (token: string) => hash('sha256', token, 'buffer');

const randomBase62 = (length: number) => {
  let text = '';
  while (text.length < length) {
    // 248 is the last multiple of 62: bytes above it would favour the first letters.
    for (const byte of randomBytes(length)) if (byte < 248 && text.length < length) text += alphabet[byte % 62];
  }
  return text;
};

const checksum = (text: string) => {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < 6; i++) {
    digits = alphabet[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
};
