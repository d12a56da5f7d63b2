import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { FormCutOff, readParts } from '#server/media/multipart';

const lines = (...all: string[]) => all.join('\r\n');

/** Yields chunks of `length` bytes, as a slow connection would. */
const inPieces = async function* (form: Buffer, length: number) {
  for (let at = 0; at < form.length; at += length) yield form.subarray(at, at + length);
};

const read = async (
  form: string,
  { pieceLength = form.length, contentType = 'multipart/form-data; boundary=x' } = {},
) => {
  const parts: Record<string, string>[] = [];
  for await (const { body, ...about } of readParts(contentType, inPieces(Buffer.from(form), pieceLength))) {
    parts.push({ ...about, body: (await buffer(body)).toString() });
  }
  return parts;
};
const nameIn = async (disposition: string, type = 'text/plain') =>
  (await read(lines('--x', `Content-Disposition: ${disposition}`, `Content-Type: ${type}`, '', '', '--x--', '')))[0];

describe('a form', () => {
  const form = lines(
    'what stands before the first part means nothing',
    '--x',
    'Content-Disposition: form-data; name="alt"',
    '',
    'two\r\nlines, and almost\r\n--the end\r\n-',
    '--x',
    'CONTENT-DISPOSITION: form-data; name="file"; filename="a.txt"',
    'content-type: Text/CSV; charset=utf-8',
    '',
    'é',
    '--x',
    'Content-Disposition: form-data; name="empty"',
    '',
    '',
    '--x--',
    'nor what stands after the last',
  );

  test.each(Array.from({ length: 40 }, (_, i) => i + 1))('is the same in pieces of %i bytes', async (pieceLength) => {
    expect(await read(form, { pieceLength })).toEqual([
      { name: 'alt', mimeType: 'text/plain', body: 'two\r\nlines, and almost\r\n--the end\r\n-' },
      { name: 'file', fileName: 'a.txt', mimeType: 'text/csv', body: 'é' },
      { name: 'empty', mimeType: 'text/plain', body: '' },
    ]);
  });

  test('goes on with the next part when a body is read in part, or not at all', async () => {
    const names: string[] = [];
    const pieces = inPieces(Buffer.from(form), 3);
    for await (const { name, body } of readParts('multipart/form-data; boundary=x', pieces)) {
      names.push(name);
      if (name === 'alt') for await (const _ of body) break;
    }
    expect(names).toEqual(['alt', 'file', 'empty']);
  });

  test('that ends early is cut off, wherever that is', async () => {
    const end = form.indexOf('--x--') + '--x--'.length;
    for (let length = 0; length < end; length++) {
      await expect(read(form.slice(0, length), { pieceLength: 7 }), String(length)).rejects.toThrow(FormCutOff);
    }
    expect(await read(form.slice(0, end))).toHaveLength(3);
  });

  test('is cut off when its connection breaks', async () => {
    const breaking = async function* () {
      yield Buffer.from(form.slice(0, 100));
      throw new Error('aborted');
    };
    const parts = readParts('multipart/form-data; boundary=x', breaking());
    await parts.next();
    await expect(parts.next()).rejects.toThrow(FormCutOff);
  });

  test.each([
    ['multipart/form-data; boundary="x"', true],
    ['Multipart/Form-Data; charset=utf-8; BOUNDARY=x', true],
    ['multipart/form-data', false],
    ['multipart/form-data; boundary=', false],
    ['multipart/mixed; boundary=x', false],
  ])('has its boundary in %s: %s', async (contentType, isFound) => {
    const reading = read(form, { contentType });
    if (isFound) expect(await reading).toHaveLength(3);
    else await expect(reading).rejects.toMatchObject({ code: 'BadInput', issues: [{ path: 'Content-Type' }] });
  });
});

describe('a part', () => {
  test.each<[string, string | undefined, string | undefined]>([
    ['form-data; name="file"; filename="a b.png"', 'file', 'a b.png'],
    ['form-data; name=file; filename=a.png', 'file', 'a.png'],
    ['form-data; filename="a; name=other"; name="file"', 'file', 'a; name=other'],
    ['form-data; name="a\\"b"', 'a"b', undefined],
    ['form-data; name="file"; filename="C:\\dir\\a.png"', 'file', 'a.png'],
    ['form-data; name="file"; filename="dir/é.png"', 'file', 'é.png'],
    ['form-data; name="file"; filename*=UTF-8\'\'%C3%A9.png', 'file', 'é.png'],
    ['form-data; name="file"; filename*=UTF-8\'\'%C3.png; filename="plain.png"', 'file', 'plain.png'],
    ['form-data; name="file"; filename=""', 'file', ''],
    ['form-data', undefined, undefined],
    ['attachment; name="file"', undefined, undefined],
  ])('with %s is named %s', async (disposition, name, fileName) => {
    const part = await nameIn(disposition);
    expect([part?.name, part?.fileName]).toEqual([name, fileName]);
  });

  test('of bytes is a file, also without a name', async () => {
    expect(await nameIn('form-data; name="file"', 'application/octet-stream')).toMatchObject({ fileName: '' });
  });
});
