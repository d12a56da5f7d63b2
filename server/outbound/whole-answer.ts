import type { Dispatcher } from 'undici';
import type { OutboundAnswer, OutboundRequest, OutboundResponse } from './guarded-client.ts';
import { TookTooLong, TooLate, trouble } from './trouble.ts';

interface Waiting {
  readonly timeoutMs: number;
  resolve(answer: OutboundAnswer): void;
  reject(error: unknown): void;
}

const defaultMaxBytes = 1024 * 1024;
/** What is read of an answer that nobody wants, to have the connection again. */
const droppedBytes = 16 * 1024;
const nothing = Buffer.alloc(0);

/**
 * What becomes of a request whose answer is held in memory. Undici's own `request` makes a stream and a signal for each,
 * which costs more than the request.
 */
export class WholeAnswer implements Dispatcher.DispatchHandler {
  readonly #options: OutboundRequest;
  readonly #waiting: Waiting;
  readonly #timer: NodeJS.Timeout;
  #request: Dispatcher.DispatchController | undefined;
  #isGivenUp = false;
  #head: Omit<OutboundResponse, 'body'> | undefined;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(options: OutboundRequest, waiting: Waiting) {
    this.#options = options;
    this.#waiting = waiting;
    this.#timer = setTimeout(() => this.#giveUp(), waiting.timeoutMs);
  }

  /** Right before the head is written, to a new connection and to a kept one alike. */
  onRequestStart(request: Dispatcher.DispatchController) {
    if (this.#isGivenUp || this.#options.guard?.mayBegin() === false) throw new TooLate();
    this.#request = request;
  }

  onResponseStart(request: Dispatcher.DispatchController, status: number, headers: OutboundResponse['headers']) {
    if (status < 200) return;
    this.#head = { ok: true, status, headers };
    if (this.#options.maxBytes !== 0) return;
    this.#waiting.resolve({ ...this.#head, body: nothing });
    if (!this.#options.keptConnection) request.abort(new Error('Only the status was wanted.'));
  }

  onResponseData(request: Dispatcher.DispatchController, chunk: Buffer) {
    const { maxBytes = defaultMaxBytes } = this.#options;
    this.#bytes += chunk.length;
    if (this.#bytes > (maxBytes || droppedBytes)) {
      this.#waiting.resolve(trouble('tooLarge'));
      request.abort(new Error('The answer is too large.'));
    } else if (maxBytes > 0) this.#chunks.push(chunk);
  }

  onResponseEnd() {
    clearTimeout(this.#timer);
    if (this.#head) this.#waiting.resolve({ ...this.#head, body: Buffer.concat(this.#chunks) });
  }

  onResponseError(_request: Dispatcher.DispatchController, error: Error) {
    clearTimeout(this.#timer);
    this.#waiting.reject(error);
  }

  /** A request that waits for its connection is not sent any more. */
  #giveUp() {
    this.#isGivenUp = true;
    const error = new TookTooLong();
    if (this.#request) this.#request.abort(error);
    else this.#waiting.reject(error);
  }
}
