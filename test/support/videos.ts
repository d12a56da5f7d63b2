const u16 = (...values: number[]) => Buffer.concat(values.map((value) => Buffer.of(value >> 8, value & 0xff)));
const u32 = (...values: number[]) =>
  Buffer.concat(
    values.map((value) => Buffer.of(value >>> 24, (value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff)),
  );

const box = (type: string, ...parts: Buffer[]) => {
  const content = Buffer.concat(parts);
  return Buffer.concat([u32(content.length + 8), Buffer.from(type, 'latin1'), content]);
};

const upright = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];
const turned = [0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x40000000];

/** The smallest file with the tables of a recording, pictures aside. */
export const mp4 = ({
  brand = 'isom',
  width = 1280,
  height = 720,
  durationMs = 10_000,
  lying = false,
  track = 'vide',
  place = '',
  xmp = '',
  padding = 0,
  codec = '',
  refersTo = '',
} = {}) => {
  const movie = box(
    'mvhd',
    u32(0, 0, 0, 1000, durationMs, 0x10000),
    u16(0x100),
    Buffer.alloc(10),
    u32(...upright),
    Buffer.alloc(28),
  );
  const header = box(
    'tkhd',
    u32(7, 0, 0, 1, 0, durationMs, 0, 0, 0, 0),
    u32(...(lying ? turned : upright)),
    u32(width * 65_536, height * 65_536),
  );
  const references = refersTo
    ? [box('dinf', box('dref', u32(0, 1), box('url ', u32(0), Buffer.from(`${refersTo}\0`))))]
    : [];
  const samples = codec ? [box('stbl', box('stsd', u32(0, 1), box(codec, Buffer.alloc(78))))] : [];
  const handler = box('hdlr', u32(0, 0), Buffer.from(track, 'latin1'), Buffer.alloc(13));
  return Buffer.concat([
    box('ftyp', Buffer.from(brand, 'latin1'), u32(512), Buffer.from(brand, 'latin1')),
    box(
      'moov',
      movie,
      box('trak', header, box('mdia', handler, box('minf', ...references, ...samples))),
      ...(place ? [box('udta', box('\xa9xyz', Buffer.from(place)))] : []),
    ),
    ...(xmp ? [box('uuid', Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex'), Buffer.from(xmp))] : []),
    box('mdat', Buffer.alloc(64 + padding, 'picture')),
  ]);
};

const element = (id: string, content: Buffer | string) => {
  const bytes = Buffer.from(content);
  return Buffer.concat([
    Buffer.from(id, 'hex'),
    Buffer.of(0x10 | (bytes.length >> 24)),
    u32(bytes.length).subarray(1),
    bytes,
  ]);
};

export const webm = ({ docType = 'webm', width = 640, height = 360, durationMs = 4000 } = {}) => {
  const duration = Buffer.alloc(8);
  duration.writeDoubleBE(durationMs);
  const info = [element('2ad7b1', u32(1_000_000)), ...(durationMs ? [element('4489', duration)] : [])];
  const picture = element('e0', Buffer.concat([element('b0', u32(width)), element('ba', u32(height))]));
  const tracks = element('ae', Buffer.concat([element('83', Buffer.of(1)), picture]));
  return Buffer.concat([
    element('1a45dfa3', element('4282', docType)),
    element(
      '18538067',
      Buffer.concat([
        element('1549a966', Buffer.concat(info)),
        element('1654ae6b', tracks),
        element('1f43b675', Buffer.alloc(64)),
      ]),
    ),
  ]);
};
