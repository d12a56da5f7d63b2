import type { Duplex } from 'node:stream';
import pg from 'pg';

type Read = (chunk: Buffer) => void;

/** Missing from pg's types. */
interface ConnectionInternals {
  attachListeners(stream: Duplex): void;
}

/** A server that accepts a connection and never answers would block its caller forever. */
const connectTimeoutMs = 15_000;
/** Keep-alive probes detect a dead host. Without this the system sends the first one after two hours. */
const firstProbeMs = 10_000;

/**
 * pg parses messages in a socket event, where an exception ends the process. After an unreadable message the state of the
 * connection is unknown, so it is closed: its queries fail, and pools and listeners open a new one.
 */
export class CarefulClient extends pg.Client {
  constructor(config: pg.ClientConfig) {
    super({
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: firstProbeMs,
      ...config,
      // Pools make the password non-enumerable to keep it out of logs, so the spread above misses it.
      ...(config.password !== undefined && { password: config.password }),
    });
    // The running query and the pool learn of a broken connection anyway, but without a listener this event ends the process.
    this.on('error', () => undefined);
    const internals = this.connection as unknown as ConnectionInternals;
    const attachListeners = internals.attachListeners.bind(internals);
    internals.attachListeners = (stream) => {
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
