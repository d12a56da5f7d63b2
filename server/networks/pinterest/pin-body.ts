import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { PublishMedia } from '#server/networks/network';
import type { Bytes } from '#server/networks/request';

/** The JSON of a pin with every file in base64. It is a stream, because five large images do not fit into memory. */
export const pinBody = (pin: object): Bytes => {
  const files: PublishMedia[] = [];
  const place = randomUUID();
  const json = JSON.stringify(pin, (_name, value) => {
    if (!isFile(value)) return value;
    files.push(value);
    return place;
  });
  const texts = json.split(place).map((text) => Buffer.from(text));
  const length = sum(texts.map((text) => text.length)) + sum(files.map(({ bytes }) => 4 * Math.ceil(bytes / 3)));
  const all = async function* () {
    for (const [index, text] of texts.entries()) {
      yield text;
      const file = files[index];
      if (file) yield* base64Of(file);
    }
  };
  return { length, stream: Readable.from(all()) };
};

const isFile = (value: unknown): value is PublishMedia =>
  typeof (value as Partial<PublishMedia> | null)?.read === 'function';

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

/** Three bytes become four characters, so the remainder of a piece is encoded with the next one. */
async function* base64Of(file: PublishMedia) {
  let rest = Buffer.alloc(0);
  for await (const piece of await file.read()) {
    const bytes = Buffer.concat([rest, piece]);
    const whole = bytes.length - (bytes.length % 3);
    yield Buffer.from(bytes.toString('base64', 0, whole));
    rest = bytes.subarray(whole);
  }
  yield Buffer.from(rest.toString('base64'));
}
