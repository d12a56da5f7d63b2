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

/** A checked address, as undici takes it. */
export interface Target {
  readonly origin: string;
  readonly path: string;
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

/** A redirect is an answer like any other: nobody follows it. */
export interface Exchanged {
  readonly ok: true;
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
  { origin, path }: Target,
  exchange: Exchange,
): Promise<Exchanged> =>
  new Promise((resolve, reject) => {
    const { method, headers, body } = exchange;
    dispatcher.dispatch({ origin, path, method, headers, body }, new Answer(exchange, resolve, reject));
  });

/** Not a closure for each step: many thousands of these are made in a second. */
class Answer implements Dispatcher.DispatchHandler {
  readonly #exchange: Exchange;
  readonly #resolve: (exchanged: Exchanged) => void;
  readonly #reject: (error: Error) => void;
  readonly #dueMs: number;
  #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #trouble: Error | undefined;
  #status = 0;
  #headers: Exchanged['headers'] = {};
  #chunks: Buffer[] | undefined;
  #length = 0;

  constructor(exchange: Exchange, resolve: (exchanged: Exchanged) => void, reject: (error: Error) => void) {
    this.#exchange = exchange;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#dueMs = performance.now() + exchange.timeoutMs;
    this.#timer = setTimeout(() => this.#timeIsUp(), exchange.timeoutMs);
  }

  /** A process that stood still has not read what came meanwhile. It gets the time back that it lost, once. */
  #timeIsUp() {
    const lostMs = performance.now() - this.#dueMs;
    this.#timer = setTimeout(() => this.#giveUp(new TimedOut()), Math.min(lostMs, this.#exchange.timeoutMs));
  }

  #giveUp(error: Error) {
    this.#trouble = error;
    this.#reject(error);
    this.#controller?.abort(error);
  }

  #answer(body: Buffer) {
    this.#resolve({ ok: true, status: this.#status, headers: this.#headers, body });
  }

  /** Right before the head of the request is written, to a new connection and to a kept one alike. */
  onRequestStart(controller: Dispatcher.DispatchController) {
    if (this.#trouble) throw this.#trouble;
    const { guard } = this.#exchange;
    if (guard && !guard.mayBegin()) throw new TooLate();
    this.#controller = controller;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Exchanged['headers']) {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    if (this.#exchange.maxBytes > 0) return;
    this.#answer(nothing);
    if (this.#exchange.droppedBytes === 0) this.#giveUp(new TooLarge());
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer) {
    const { maxBytes, droppedBytes } = this.#exchange;
    this.#length += chunk.length;
    if (maxBytes > 0) {
      this.#chunks ??= [];
      this.#chunks.push(chunk);
    }
    if (this.#length > (maxBytes || droppedBytes)) this.#giveUp(new TooLarge());
  }

  onResponseEnd() {
    clearTimeout(this.#timer);
    if (this.#exchange.maxBytes > 0) this.#answer(this.#chunks ? Buffer.concat(this.#chunks) : nothing);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error) {
    clearTimeout(this.#timer);
    this.#reject(error);
  }
}
