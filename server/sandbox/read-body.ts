import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import type { SandboxForm } from '#server/networks/sandbox';

export const readBytes = (req: IncomingMessage): Promise<Buffer> => buffer(req);

export const readMultipart = (req: IncomingMessage): Promise<SandboxForm> =>
  new Promise((resolve, reject) => {
    const fields: Record<string, string> = {};
    const files: Record<string, { mimeType: string; bytes: Buffer }> = {};
    const reading: Promise<void>[] = [];
    const busboy = new Busboy({ headers: req.headers as BusboyHeaders });
    busboy.on('field', (name, value) => {
      fields[name] = value;
    });
    busboy.on('file', (name, stream, _fileName, _encoding, mimeType) => {
      reading.push(
        buffer(stream).then((bytes) => {
          files[name] = { mimeType, bytes };
        }),
      );
    });
    busboy.on('finish', () => Promise.all(reading).then(() => resolve({ fields, files }), reject));
    busboy.on('error', reject);
    req.on('error', reject);
    req.pipe(busboy);
  });
