import { createHmac, randomBytes } from 'node:crypto';
import { isSameSecret } from '#server/base/secrets/is-same-secret';

const stepMs = 30_000;
const digits = 6;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Base32 of RFC 4648, without padding, as authenticator apps read it. */
export const toBase32 = (bytes: Buffer) => {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
};

const fromBase32 = (text: string) => {
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
};

export const newTotpSecret = () => toBase32(randomBytes(20));

export const stepAt = (at: Date) => Math.floor(at.getTime() / stepMs);

/** RFC 6238 with SHA-1 and six digits, which is what apps support. */
export const totpCode = (secret: string, step: number) => {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits;
  return String(number).padStart(digits, '0');
};

/** The step of a code that is valid now, or was a moment ago: clocks of phones differ. */
export const findStep = (secret: string, code: string, now: Date) => {
  const current = stepAt(now);
  return [current, current - 1, current + 1].find((step) => isSameSecret(code, totpCode(secret, step)));
};

/** For a QR code. */
export const totpUri = ({ secret, email, issuer }: { secret: string; email: string; issuer: string }) =>
  `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(email)}?${new URLSearchParams({ secret, issuer })}`;
