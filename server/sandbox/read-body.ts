import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { badInput } from '#server/errors';
import { FormCutOff, readParts } from '#server/media/multipart';
import type { SandboxForm } from '#server/networks/sandbox';

export const readBytes = (req: IncomingMessage): Promise<Buffer> => buffer(req);

export const readMultipart = async (req: IncomingMessage): Promise<SandboxForm> => {
  const fields: Record<string, string> = {};
  const files: Record<string, { mimeType: string; bytes: Buffer }> = {};
  const parts = readParts(req.headers['content-type'] ?? '', req.iterator());
  try {
    for await (const { name, fileName, mimeType, body } of parts) {
      const bytes = await buffer(body);
      if (fileName === undefined) fields[name] = bytes.toString();
      else files[name] = { mimeType, bytes };
    }
  } catch (error) {
    if (!(error instanceof FormCutOff)) throw error;
    throw badInput({ path: 'body', code: 'Incomplete', message: 'ended before it was complete' });
  }
  return { fields, files };
};
