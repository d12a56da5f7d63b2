import type { Duplex } from 'node:stream';
import pg from 'pg';

type Read = (chunk: Buffer) => void;

/** What pg's types leave out. */
interface Inside {
  attachListeners(stream: Duplex): void;
}

/** A server that accepts a connection and says nothing would keep its caller waiting for ever. */
const connectMs = 15_000;
/** A host that is gone answers no probe; without probes it is noticed after two hours. */
const firstProbeMs = 10_000;

/**
 * pg reads messages in an event of the socket, where an exception ends the process. Nobody can say what follows a message
 * that could not be read, so the connection is closed: its queries fail, and pools and listeners open another one.
 */
export class CarefulClient extends pg.Client {
  constructor(config: pg.ClientConfig) {
    super({
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: firstProbeMs,
      ...config,
      // Pools hide it, so that no log shows it.
      ...(config.password !== undefined && { password: config.password }),
    });
    // The query that a connection breaks under fails, and pools hear of it too. Without a listener the process would end.
    this.on('error', () => undefined);
    const inside = this.connection as unknown as Inside;
    const attachListeners = inside.attachListeners.bind(inside);
    inside.attachListeners = (stream) => {
      const before = new Set(stream.listeners('data'));
      attachListeners(stream);
      for (const read of stream.listeners('data') as Read[]) if (!before.has(read)) readCarefully(stream, read);
    };
  }
}

const readCarefully = (stream: Duplex, read: Read) => {
  stream.off('data', read);
  stream.on('data', (chunk: Buffer) => {
    try {
      read(chunk);
    } catch (cause) {
      stream.destroy(unreadable(cause));
    }
  });
};

/** With the code that PostgreSQL has for a violation of its protocol. */
const unreadable = (cause: unknown) =>
  Object.assign(new Error('A message of PostgreSQL could not be processed, so its connection was closed', { cause }), {
    code: '08P01',
  });
