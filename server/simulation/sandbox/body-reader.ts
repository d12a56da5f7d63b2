import { buffer } from 'node:stream/consumers';
import type { Request } from 'express';
import { badInput, Refusal } from '#server/base/errors';
import { FormCutOff, readParts } from '#server/media/multipart';
import type { SandboxForm, SandboxKit } from '#server/networks/sandbox';

export type BodyReader = Pick<SandboxKit, 'readBytes' | 'readMultipart'>;

/** Reads whole bodies. Refuses a body that would push the total of all bodies in memory over the limit. */
export const createBodyReader = (maxHeldBytes = Number.POSITIVE_INFINITY): BodyReader => {
  let heldBytes = 0;

  const mustFit = (moreBytes: number) => {
    if (heldBytes + moreBytes <= maxHeldBytes) return;
    const message = `Uploads of more than ${maxHeldBytes} bytes at a time are refused. Send a smaller file, or fewer at a time.`;
    throw new Refusal('BadInput', message, [], 413);
  };

  const hold = async <T>(req: Request, read: (chunks: AsyncGenerator<Buffer>) => Promise<T>): Promise<T> => {
    mustFit(Number(req.headers['content-length'] ?? 0));
    let ownBytes = 0;
    let refusal: unknown;
    req.res?.once('close', () => {
      heldBytes -= ownBytes;
    });
    const chunksOf = async function* () {
      // By default the connection closes with the iterator, which would lose the response to a refused body.
      for await (const chunk of req.iterator({ destroyOnReturn: false })) {
        try {
          mustFit(chunk.length);
        } catch (error) {
          refusal = error;
          throw error;
        }
        ownBytes += chunk.length;
        heldBytes += chunk.length;
        yield chunk;
      }
    };
    // A form parser reports any early end as a truncated form, so throw the refusal instead.
    return read(chunksOf()).catch((error: unknown) => {
      throw refusal ?? error;
    });
  };

  return {
    readBytes: (req) => hold(req, (chunks) => buffer(chunks)),
    readMultipart: (req) => hold(req, (chunks) => readForm(req.headers['content-type'] ?? '', chunks)),
  };
};

const readForm = async (contentType: string, chunks: AsyncIterator<Buffer>): Promise<SandboxForm> => {
  const fields: Record<string, string> = {};
  const files: Record<string, { mimeType: string; bytes: Buffer }> = {};
  try {
    for await (const { name, fileName, mimeType, body } of readParts(contentType, chunks)) {
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
