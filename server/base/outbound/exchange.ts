import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { TimedOut, TooLarge, TooLate } from './trouble.ts';

/**
 * Checked right before bytes are written to an open connection, because the process may have stalled for minutes since it
 * decided to send.
 */
export interface WriteGuard {
  mayBegin(): boolean;
  /** Checked before each further chunk of a stream. */
  mayContinue?(): boolean;
}

/** A checked address, in the form that undici expects. */
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
  /** A longer answer is an error. 0: resolve with status and headers, without the body. */
  readonly maxBytes: number;
  /** With `maxBytes` 0: how much of the body to drain, so that the connection can be reused. */
  readonly drainBytes: number;
}

/** Redirects are not followed: they are returned like any other answer. */
export interface ExchangeResponse {
  readonly ok: true;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

const emptyBody = Buffer.alloc(0);

/**
 * One request and its whole answer. Without undici's `request`, whose stream and signal cost more than the exchange
 * itself.
 */
export const exchange = (
  dispatcher: Pick<Dispatcher, 'dispatch'>,
  { origin, path }: Target,
  exchange: Exchange,
): Promise<ExchangeResponse> =>
  new Promise((resolve, reject) => {
    const { method, headers, body } = exchange;
    dispatcher.dispatch({ origin, path, method, headers, body }, new Answer(exchange, resolve, reject));
  });

/** A class instead of closures, because thousands are created per second. */
class Answer implements Dispatcher.DispatchHandler {
  readonly #exchange: Exchange;
  readonly #resolve: (response: ExchangeResponse) => void;
  readonly #reject: (error: Error) => void;
  readonly #dueMs: number;
  #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #error: Error | undefined;
  #status = 0;
  #headers: ExchangeResponse['headers'] = {};
  #chunks: Buffer[] | undefined;
  #length = 0;

  constructor(exchange: Exchange, resolve: (response: ExchangeResponse) => void, reject: (error: Error) => void) {
    this.#exchange = exchange;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#dueMs = performance.now() + exchange.timeoutMs;
    this.#timer = setTimeout(() => this.#extendOnce(), exchange.timeoutMs);
  }

  /** A stalled process has not read the answer that arrived meanwhile, so it gets the lost time back, once. */
  #extendOnce() {
    const lostMs = performance.now() - this.#dueMs;
    this.#timer = setTimeout(() => this.#giveUp(new TimedOut()), Math.min(lostMs, this.#exchange.timeoutMs));
  }

  #giveUp(error: Error) {
    this.#error = error;
    this.#reject(error);
    this.#controller?.abort(error);
  }

  #answer(body: Buffer) {
    this.#resolve({ ok: true, status: this.#status, headers: this.#headers, body });
  }

  /** Called right before the request head is written, on a new or a reused connection. */
  onRequestStart(controller: Dispatcher.DispatchController) {
    if (this.#error) throw this.#error;
    const { guard } = this.#exchange;
    if (guard && !guard.mayBegin()) throw new TooLate();
    this.#controller = controller;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: ExchangeResponse['headers']) {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    if (this.#exchange.maxBytes > 0) return;
    this.#answer(emptyBody);
    if (this.#exchange.drainBytes === 0) this.#giveUp(new TooLarge());
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer) {
    const { maxBytes, drainBytes } = this.#exchange;
    this.#length += chunk.length;
    if (maxBytes > 0) {
      this.#chunks ??= [];
      this.#chunks.push(chunk);
    }
    if (this.#length > (maxBytes || drainBytes)) this.#giveUp(new TooLarge());
  }

  onResponseEnd() {
    clearTimeout(this.#timer);
    if (this.#exchange.maxBytes > 0) this.#answer(this.#chunks ? Buffer.concat(this.#chunks) : emptyBody);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error) {
    clearTimeout(this.#timer);
    this.#reject(error);
  }
}
