import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Connection } from '#server/store/database';

/** One connection of a client to PostgreSQL. */
export interface WireConnection {
  /** All that the client has sent, as text. */
  readonly asked: string;
  /** Speaks in the place of PostgreSQL. */
  say(message: Buffer): void;
  cut(): void;
}

export type Wire = Awaited<ReturnType<typeof startWire>>;

/** The way to PostgreSQL, where a test hears both sides, changes what the server says, speaks in its place, or cuts it. */
export const startWire = async (target: Connection) => {
  const sockets = new Set<Socket>();
  const wire = {
    parts: target,
    connections: [] as WireConnection[],
    /** Called with each message of a client, before the server gets it. */
    hear: (_message: Buffer, _from: WireConnection): void => undefined,
    /** Each message of the server, as the client gets it. */
    change: (message: Buffer): Buffer => message,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
  const server = createServer((client) => {
    const { host, port } = target;
    const postgres = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    const cut = () => {
      client.destroy();
      postgres.destroy();
    };
    for (const socket of [client, postgres]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        cut();
      });
    }
    const connection = { asked: '', say: (message: Buffer) => void client.write(message), cut };
    wire.connections.push(connection);
    // The first message of a client has no type.
    const fromClient = messagesOf(0);
    client.on('data', (chunk) => {
      connection.asked += chunk.toString('latin1');
      for (const message of fromClient(chunk)) wire.hear(message, connection);
      if (!postgres.destroyed) postgres.write(chunk);
    });
    const fromServer = messagesOf(1);
    postgres.on('data', (chunk) => {
      const messages = [...fromServer(chunk)].map((message) => wire.change(message));
      if (!client.destroyed) client.write(Buffer.concat(messages));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  wire.parts = { ...target, host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  return wire;
};

/** Whole messages out of what arrives in pieces; `typeBytes` are those before the length of the first. */
const messagesOf = (typeBytes: 0 | 1) => {
  let rest = Buffer.alloc(0);
  let before: number = typeBytes;
  return function* (chunk: Buffer) {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= before + 4) {
      const length = before + rest.readUInt32BE(before);
      if (rest.length < length) return;
      yield rest.subarray(0, length);
      rest = rest.subarray(length);
      before = 1;
    }
  };
};

export const message = (type: string, body: Buffer) => {
  const head = Buffer.alloc(5);
  head.write(type, 'latin1');
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};

/** As a server in another language: the severity of an error is translated, its code is not. */
export const inGerman = (said: Buffer) =>
  said[0] === 'E'.charCodeAt(0)
    ? message(
        'E',
        Buffer.from(
          said
            .subarray(5)
            .toString('latin1')
            .replace(/^S[A-Z]+\0/, 'SFEHLER\0'),
          'latin1',
        ),
      )
    : said;

/** A row of nine fields that has none of them: pg throws while it reads it. */
export const brokenRow = message('D', Buffer.from([0, 9]));
