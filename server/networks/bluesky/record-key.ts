import { sha256 } from '#server/base/sha256';

const alphabet = '234567abcdefghijklmnopqrstuvwxyz';

/**
 * A "TID": microseconds and ten random bits. The same send always has the same key, so that it can be found again. The
 * microseconds within the second are random too, so that a thousand posts in one second have different keys.
 */
export const recordKeyOf = ({ key, since }: { key: string; since: Date }): string => {
  const hash = sha256(key);
  const seconds = BigInt(Math.floor(since.getTime() / 1000));
  const micros = seconds * 1_000_000n + BigInt(hash.readUInt32BE(0) % 1_000_000);
  const number = (micros << 10n) | BigInt(hash.readUInt16BE(4) & 1023);
  return Array.from({ length: 13 }, (_, index) => alphabet[Number((number >> BigInt(5 * (12 - index))) & 31n)]).join(
    '',
  );
};
