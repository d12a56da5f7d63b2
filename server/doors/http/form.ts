import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Request } from 'express';
import { bounds } from '#server/base/bounds';
import { badInput } from '#server/base/errors';
import { FormCutOff, type Part, readParts } from '#server/media/multipart';

export const isForm = ({ headers }: Request) => /^multipart\/form-data\b/i.test(headers['content-type'] ?? '');

export interface FormFields {
  readonly fields: Readonly<Record<string, string>>;
  /** Names that were sent twice, or belong to a second file. */
  readonly wrong: readonly string[];
}

/**
 * All or nothing: discards the received file if the rest of the form is wrong. `receive` gets the fields sent before
 * the file.
 */
export const readForm = async <Received, Checked>(
  req: Request,
  {
    receive,
    discard,
  }: {
    receive: (file: AsyncIterable<Buffer>, name: string, before: FormFields) => Promise<Received>;
    discard: (received: Received) => Promise<void>;
  },
  check: (form: FormFields) => Checked,
): Promise<{ received: Received; name: string } & Checked> => {
  // By default leaving a `for await` loop early destroys the request, which still needs a response.
  const chunks: AsyncIterableIterator<Buffer> = req.iterator({ destroyOnReturn: false });
  const fields: [string, string][] = [];
  const wrong: string[] = [];
  let file: { name: string; outcome: PromiseSettledResult<Received> } | undefined;

  const take = async ({ name, fileName, body }: Part) => {
    if (fileName === undefined) {
      if (fields.some(([other]) => other === name)) wrong.push(name);
      fields.push([name, await readText(body)]);
    } else if (name !== 'file' || file) wrong.push(name);
    else {
      const before = { fields: Object.fromEntries(fields), wrong: [...wrong] };
      const [outcome] = await Promise.allSettled([receive(body, fileName, before)]);
      file = { name: fileName, outcome };
    }
  };

  const takeAll = async () => {
    let parts = 0;
    for await (const part of readParts(req.headers['content-type'] ?? '', chunks)) {
      if (++parts > bounds.formParts) throw tooManyParts();
      await take(part);
    }
  };

  try {
    await untilStalled(req, takeAll);
    if (file === undefined)
      throw badInput({ path: 'file', code: 'Required', message: 'is required: send the file in a field of this name' });
    if (file.outcome.status === 'rejected') throw file.outcome.reason;
    const form = { fields: Object.fromEntries(fields), wrong };
    return { received: file.outcome.value, name: file.name, ...check(form) };
  } catch (error) {
    // Most clients read the response only after they have sent the whole body.
    await untilStalled(req, () => drain(chunks));
    if (file?.outcome.status === 'fulfilled') await discard(file.outcome.value);
    if (!(error instanceof FormCutOff)) throw error;
    throw badInput({ path: 'file', code: 'Incomplete', message: 'ended before it was complete' });
  }
};

const tooManyParts = () =>
  badInput({
    path: 'body',
    code: 'TooBig',
    message: `must have at most ${bounds.formParts} parts`,
    limit: bounds.formParts,
  });

/** Cut above the limit of every field, so that the check of the field reports that it is too long. */
const readText = async (body: AsyncIterable<Buffer>) => {
  const start = async function* () {
    let remaining = bounds.formFieldBytes;
    for await (const chunk of body) {
      if (remaining > 0) yield chunk.subarray(0, remaining);
      remaining -= chunk.length;
    }
  };
  return (await buffer(start())).toString();
};

/** Reads and drops the rest. */
export const drain = async (chunks: AsyncIterable<Buffer>) => {
  try {
    for await (const _ of chunks);
  } catch {
    // The client disconnected.
  }
};

/** Allows any total time, but drops the connection when no bytes arrive for too long. */
export const untilStalled = async <T>(req: IncomingMessage, work: () => Promise<T>): Promise<T> => {
  req.setTimeout(bounds.bodyTimeoutMs, () => req.destroy());
  return work().finally(() => req.setTimeout(0));
};

export const unknownField = (name: string) =>
  badInput({ path: name.slice(0, 100), code: 'UnknownField', message: 'is not expected here, or was sent twice' });
