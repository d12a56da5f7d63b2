import { sha256 } from '#server/base/sha256';
import type { SandboxPerson } from '#server/networks/sandbox';

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

const base32 = (bytes: Buffer) => {
  let text = '';
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(held >> (bits - 5)) & 31];
  }
  return bits > 0 ? text + alphabet[(held << (5 - bits)) & 31] : text;
};

export const cidOf = (codec: 0x55 | 0x71, bytes: Buffer) =>
  `b${base32(Buffer.concat([Buffer.from([1, codec, 0x12, 0x20]), sha256(bytes)]))}`;

export const didOf = ({ id }: SandboxPerson) => `did:plc:${base32(sha256(id)).slice(0, 24)}`;
