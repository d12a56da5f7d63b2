import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type pg from 'pg';

/** The connection that pg passes to a custom query; missing from its types. */
interface Wire {
  readonly stream: Socket;
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
}

/** Rows are gathered into chunks of this size, because a stream event per row would be slow. */
const chunkBytes = 64 * 1024;

/** The rows of `copy … to stdout`, with backpressure. */
export function copyOut(client: pg.Client, text: string): Readable {
  let socket: Socket | undefined;
  let rows: Buffer[] = [];
  let bytes = 0;
  const out = new Readable({
    read: () => void socket?.resume(),
    // The remaining rows must be drained, or the connection would never be free again.
    destroy: (error, done) => {
      socket?.resume();
      done(error);
    },
  });
  const push = () => {
    if (out.destroyed || bytes === 0) return;
    if (!out.push(Buffer.concat(rows, bytes))) socket?.pause();
    rows = [];
    bytes = 0;
  };
  client.query({
    submit: (connection) => {
      const wire = connection as unknown as Wire;
      socket = wire.stream;
      wire.query(text);
    },
    handleCopyData: ({ chunk }: { chunk: Buffer }) => {
      // Copied, because the parser reuses its buffer.
      rows.push(Buffer.from(chunk));
      bytes += chunk.length;
      if (bytes >= chunkBytes) push();
    },
    handleCommandComplete: () => undefined,
    handleReadyForQuery: () => {
      push();
      out.push(null);
    },
    handleError: (error: Error) => out.destroy(error),
  });
  return out;
}

/** Removes its listeners, because a large table waits thousands of times. */
async function waitForDrain(stream: Wire['stream']) {
  const waiting = new AbortController();
  const { signal } = waiting;
  await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]).finally(() =>
    waiting.abort(),
  );
}

/** Sends `source` to `copy … from stdin` and returns the number of rows. */
export function copyIn(client: pg.Client, text: string, source: AsyncIterable<Buffer>): Promise<number> {
  return new Promise((resolve, reject) => {
    let count = 0;
    let hasFailed = false;
    let sourceError: unknown;
    const send = async (wire: Wire) => {
      try {
        for await (const chunk of source) {
          // After an error PostgreSQL discards the rest.
          if (hasFailed) return;
          wire.sendCopyFromChunk(chunk);
          if (wire.stream.writableNeedDrain) await waitForDrain(wire.stream);
        }
        wire.endCopyFrom();
      } catch (error) {
        sourceError = error;
        wire.sendCopyFail('The source failed.');
      }
    };
    client.query({
      submit: (connection) => (connection as unknown as Wire).query(text),
      handleCopyInResponse: (wire: Wire) => void send(wire),
      handleCommandComplete: ({ text: tag }: { text: string }) => {
        count = Number(tag.split(' ')[1]);
      },
      handleReadyForQuery: () => resolve(count),
      handleError: (error: Error) => {
        hasFailed = true;
        reject(sourceError ?? error);
      },
    });
  });
}
