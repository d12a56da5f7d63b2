import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type pg from 'pg';

/** What pg gives a query of one's own; its types leave it out. */
interface Wire {
  readonly stream: Socket;
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
}

/** Enough rows in one piece that a stream costs little for each. */
const pieceBytes = 64 * 1024;

/** The rows of `copy … to stdout`, as fast as they are read. */
export function copyOut(client: pg.Client, text: string): Readable {
  let socket: Socket | undefined;
  let rows: Buffer[] = [];
  let bytes = 0;
  const out = new Readable({
    read: () => void socket?.resume(),
    // What is still to come has to be taken off the line, or the connection would never be free.
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
      // The parser uses its buffer again.
      rows.push(Buffer.from(chunk));
      bytes += chunk.length;
      if (bytes >= pieceBytes) push();
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

/** Sends `source` to `copy … from stdin` and says how many rows that were. */
export function copyIn(client: pg.Client, text: string, source: AsyncIterable<Buffer>): Promise<number> {
  return new Promise((resolve, reject) => {
    let count = 0;
    let failed = false;
    let trouble: unknown;
    const send = async (wire: Wire) => {
      try {
        for await (const chunk of source) {
          // PostgreSQL drops what comes after its error.
          if (failed) return;
          wire.sendCopyFromChunk(chunk);
          if (wire.stream.writableNeedDrain)
            await Promise.race([once(wire.stream, 'drain'), once(wire.stream, 'close')]);
        }
        wire.endCopyFrom();
      } catch (error) {
        trouble = error;
        wire.sendCopyFail('the source broke off');
      }
    };
    client.query({
      submit: (connection) => (connection as unknown as Wire).query(text),
      handleCopyInResponse: (wire: Wire) => void send(wire),
      handleCommandComplete: ({ text: said }: { text: string }) => {
        count = Number(said.split(' ')[1]);
      },
      handleReadyForQuery: () => resolve(count),
      handleError: (error: Error) => {
        failed = true;
        reject(trouble ?? error);
      },
    });
  });
}
