import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Connection } from '#server/base/store/database';

/** One connection of a client to PostgreSQL. */
export interface WireConnection {
  /** All bytes from the client, as text. */
  readonly sent: string;
  /** Sends a message in the name of PostgreSQL. */
  inject(message: Buffer): void;
  cut(): void;
}

export type Wire = Awaited<ReturnType<typeof startWire>>;

/** A proxy in front of PostgreSQL that reads both sides, changes or injects messages of the server, and cuts connections. */
export const startWire = async (target: Connection) => {
  const sockets = new Set<Socket>();
  const wire = {
    parts: target,
    connections: [] as WireConnection[],
    /** Called with each message of a client, before it is forwarded. */
    onMessage: (_message: Buffer, _from: WireConnection): void => undefined,
    /** Changes a message of the server before it is forwarded. */
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
    const connection = { sent: '', inject: (message: Buffer) => void client.write(message), cut };
    wire.connections.push(connection);
    // The first message of a client has no type.
    const fromClient = messagesOf(0);
    client.on('data', (chunk) => {
      connection.sent += chunk.toString('latin1');
      for (const message of fromClient(chunk)) wire.onMessage(message, connection);
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

/** Splits chunks into messages; `typeBytes` are those before the length of the first. */
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
export const inGerman = (original: Buffer) =>
  original[0] === 'E'.charCodeAt(0)
    ? message(
        'E',
        Buffer.from(
          original
            .subarray(5)
            .toString('latin1')
            .replace(/^S[A-Z]+\0/, 'SFEHLER\0'),
          'latin1',
        ),
      )
    : original;

/** A row that announces nine fields and has none: pg throws while parsing it. */
export const brokenRow = message('D', Buffer.from([0, 9]));
