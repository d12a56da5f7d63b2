import type { FileHandle } from 'node:fs/promises';
import { bounds } from '#server/base/bounds';
import { BadFile } from './file-type.ts';
import { damaged, noPicture, readAt } from './video-file.ts';

const ids = {
  docType: 0x4282,
  segment: 0x18538067,
  info: 0x1549a966,
  scale: 0x2ad7b1,
  duration: 0x4489,
  tracks: 0x1654ae6b,
  track: 0xae,
  trackType: 0x83,
  codec: 0x86,
  video: 0xe0,
  width: 0xb0,
  height: 0xba,
  cluster: 0x1f43b675,
} as const;

interface Element {
  readonly id: number;
  readonly from: number;
  /** Infinity: up to the end of the file, as in a live recording. */
  readonly to: number;
}

const maxHeadBytes = 4 * 1024 * 1024;
const pictureTrack = 1;
const soundTrack = 2;

/** WebM (RFC 8794, RFC 9559): Info and Tracks stand before the first cluster of pictures. */
export const readWebm = async (file: FileHandle, size: number) => {
  const bytes = await readAt(file, 0, Math.min(size, maxHeadBytes));
  const seen = { parts: 0 };
  const childrenOf = (...args: [Buffer, Element, number?]) => childrenIn(seen, ...args);
  const head = elementAt(bytes, 0);
  const docType = childrenOf(bytes, head).find(({ id }) => id === ids.docType);
  if (docType === undefined) throw damaged();
  if (text(bytes, docType) !== 'webm') {
    throw new BadFile('MediaType', 'is a Matroska video, which networks do not accept: save it as MP4 or WebM');
  }
  const segment = elementAt(bytes, head.to);
  if (segment.id !== ids.segment || (segment.to > size && segment.to !== Number.POSITIVE_INFINITY)) throw damaged();

  const parts = childrenOf(bytes, segment, ids.cluster);
  const inside = (id: number) => parts.filter((part) => part.id === id).flatMap((part) => childrenOf(bytes, part));
  const info = inside(ids.info);
  const tracks = inside(ids.tracks)
    .filter(({ id }) => id === ids.track)
    .map((track) => childrenOf(bytes, track));
  const [video, audio] = [pictureTrack, soundTrack].map((type) =>
    tracks.find((track) => number(track, ids.trackType) === type),
  );
  const picture = video?.find(({ id }) => id === ids.video);
  if (picture === undefined) throw noPicture();

  function number(elements: readonly Element[], id: number) {
    const match = elements.find((element) => element.id === id);
    return match && unsigned(bytes, match);
  }
  const sides = childrenOf(bytes, picture);
  const length = info.find(({ id }) => id === ids.duration);
  const nanosecondsPerUnit = number(info, ids.scale) ?? 1_000_000;
  return {
    width: number(sides, ids.width) ?? 0,
    height: number(sides, ids.height) ?? 0,
    durationMs: length && (float(bytes, length) * nanosecondsPerUnit) / 1_000_000,
    videoCodec: codecOf(video),
    audioCodec: audio === undefined ? 'none' : codecOf(audio),
    frameRate: undefined,
  };

  function codecOf(track: readonly Element[] | undefined) {
    const codec = track?.find(({ id }) => id === ids.codec);
    return codec && codecs[text(bytes, codec)];
  }
};

const codecs: Readonly<Record<string, string>> = {
  V_VP8: 'vp8',
  V_VP9: 'vp9',
  V_AV1: 'av1',
  A_OPUS: 'opus',
  A_VORBIS: 'vorbis',
};

const elementAt = (bytes: Buffer, at: number): Element => {
  const idBytes = vintBytes(bytes.readUInt8(at));
  const sizeAt = at + idBytes;
  const first = bytes.readUInt8(sizeAt);
  const sizeBytes = vintBytes(first);
  let size = first & (0xff >> sizeBytes);
  let unknown = size === 0xff >> sizeBytes;
  for (let i = 1; i < sizeBytes; i++) {
    const next = bytes.readUInt8(sizeAt + i);
    size = size * 256 + next;
    unknown &&= next === 0xff;
  }
  const from = sizeAt + sizeBytes;
  return { id: bytes.readUIntBE(at, idBytes), from, to: unknown ? Number.POSITIVE_INFINITY : from + size };
};

/** The zeros before the first one bit say how long the number is. */
const vintBytes = (first: number) => {
  const length = Math.clz32(first) - 23;
  if (length > 8) throw damaged();
  return length;
};

/** The children up to the first element with the id `until`, or up to the end of the bytes. */
const childrenIn = (seen: { parts: number }, bytes: Buffer, { from, to }: Element, until?: number): Element[] => {
  const children: Element[] = [];
  for (let at = from; at < Math.min(to, bytes.length); ) {
    const child = elementAt(bytes, at);
    if (child.id === until) break;
    if (++seen.parts > bounds.videoParts) throw damaged();
    children.push(child);
    at = child.to;
  }
  return children;
};

const content = (bytes: Buffer, { from, to }: Element) => bytes.subarray(from, to);

const text = (bytes: Buffer, element: Element) =>
  content(bytes, element).toString('latin1', 0, 100).replace(/\0+$/, '');

const unsigned = (bytes: Buffer, element: Element) =>
  content(bytes, element)
    .subarray(0, 8)
    .reduce((value, byte) => value * 256 + byte, 0);

const float = (bytes: Buffer, element: Element) => {
  const value = content(bytes, element);
  return value.length === 8 ? value.readDoubleBE() : value.readFloatBE();
};
