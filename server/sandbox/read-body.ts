import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { badInput } from '#server/errors';
import type { SandboxForm } from '#server/networks/sandbox';

export const readBytes = (req: IncomingMessage): Promise<Buffer> => buffer(req);

export const readMultipart = (req: IncomingMessage): Promise<SandboxForm> =>
  new Promise((resolve, reject) => {
    const fields: Record<string, string> = {};
    const files: Record<string, { mimeType: string; bytes: Buffer }> = {};
    const reading: Promise<void>[] = [];
    const breakOff = () =>
      reject(badInput({ path: 'body', code: 'Incomplete', message: 'ended before it was complete' }));
    const busboy = new Busboy({ headers: req.headers as BusboyHeaders });
    busboy.on('field', (name, value) => {
      fields[name] = value;
    });
    busboy.on('file', (name, stream, _fileName, _encoding, mimeType) => {
      const read = buffer(stream).then((bytes) => {
        files[name] = { mimeType, bytes };
      });
      // A form that breaks off never finishes, and nobody would hear of this.
      read.catch(breakOff);
      reading.push(read);
    });
    busboy.on('finish', () => Promise.all(reading).then(() => resolve({ fields, files }), breakOff));
    busboy.on('error', breakOff);
    req.on('error', breakOff);
    req.pipe(busboy);
  });
