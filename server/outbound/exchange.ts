import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { TimedOut, TooLarge, TooLate } from './trouble.ts';

/**
 * Asked in the last step before bytes leave, when a connection is open: a process may have stood still for minutes
 * since it decided to send something.
 */
export interface WriteGuard {
  mayBegin(): boolean;
  /** Before each further piece of a stream. */
  mayGoOn?(): boolean;
}

export interface Exchange {
  readonly method: Dispatcher.HttpMethod;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | Readable | null;
  readonly guard: WriteGuard | undefined;
  readonly timeoutMs: number;
  /** A longer answer is trouble. 0: only status and headers are waited for. */
  readonly maxBytes: number;
  /** Of an answer that nobody waits for, what is read to have the connection again. */
  readonly droppedBytes: number;
}

export interface Exchanged {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

const nothing = Buffer.alloc(0);

/**
 * One request and all of its answer. Not with undici's own `request`: its stream and signal cost more than sending and
 * reading do.
 */
export const exchange = (
  dispatcher: Pick<Dispatcher, 'dispatch'>,
  url: URL,
  { method, headers, body, guard, timeoutMs, maxBytes, droppedBytes }: Exchange,
): Promise<Exchanged> =>
  new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let trouble: Error | undefined;
    let answer: Omit<Exchanged, 'body'> | undefined;
    const chunks: Buffer[] = [];
    let length = 0;

    const giveUp = (error: Error) => {
      trouble = error;
      reject(error);
      controller?.abort(error);
    };
    const timer = setTimeout(() => giveUp(new TimedOut()), timeoutMs);

    dispatcher.dispatch(
      { origin: url.origin, path: url.pathname + url.search, method, headers, body },
      {
        // Right before the head of the request is written, to a new connection and to a kept one alike.
        onRequestStart: (started) => {
          if (trouble) throw trouble;
          if (guard && !guard.mayBegin()) throw new TooLate();
          controller = started;
        },
        onResponseStart: (_, status, received) => {
          if (status < 200) return;
          answer = { status, headers: received };
          if (maxBytes > 0) return;
          resolve({ ...answer, body: nothing });
          if (droppedBytes === 0) giveUp(new TooLarge());
        },
        onResponseData: (_, chunk) => {
          length += chunk.length;
          if (maxBytes > 0) chunks.push(chunk);
          if (length > (maxBytes || droppedBytes)) giveUp(new TooLarge());
        },
        onResponseEnd: () => {
          clearTimeout(timer);
          if (answer) resolve({ ...answer, body: Buffer.concat(chunks) });
        },
        onResponseError: (_, error) => {
          clearTimeout(timer);
          reject(error);
        },
      },
    );
  });
