import { createHash } from 'node:crypto';

const alphabet = '234567abcdefghijklmnopqrstuvwxyz';

/** A "TID": microseconds and ten bits of chance. The same sending always has the same, so that it can be found again. */
export const recordKeyOf = ({ key, since }: { key: string; since: Date }): string => {
  const chance = createHash('sha256').update(key).digest().readUInt32BE(0);
  const micros = BigInt(since.getTime()) * 1000n + BigInt((chance >>> 10) % 1000);
  const number = (micros << 10n) | BigInt(chance & 1023);
  return Array.from({ length: 13 }, (_, index) => alphabet[Number((number >> BigInt(5 * (12 - index))) & 31n)]).join(
    '',
  );
};
