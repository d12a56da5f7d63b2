import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const prefix = 'posthorn_pat_';
const shape = /^posthorn_pat_[0-9A-Za-z]{42}$/;

/** `posthorn_pat_` + 36 random base62 characters + the CRC32 of all that as 6 base62 characters. */
export const newToken = () => {
  const body = prefix + randomBase62(36);
  return body + checksum(body);
};

/** Rejects malformed tokens without a query. */
export const looksLikeToken = (text: string) => shape.test(text) && checksum(text.slice(0, -6)) === text.slice(-6);

/** A fast hash is enough, because the token is random and cannot be guessed. */
export const hashToken = (token: string) => hash('sha256', token, 'buffer');

const randomBase62 = (length: number) => {
  let text = '';
  while (text.length < length) {
    // 248 is the largest multiple of 62 below 256: using bytes from there on would favour the first characters.
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
