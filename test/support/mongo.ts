import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { BSON } from 'mongodb';

type Document = Record<string, unknown>;

const opReply = 1;
const opQuery = 2004;
const opMsg = 2013;

/**
 * As much of a MongoDB server as Agenda needs, in memory, over the wire protocol: a stand-alone server of version 8.
 * A command that it does not have is refused, and is in `unknown`.
 */
export const startMongo = async () => {
  const collections = new Map<string, Document[]>();
  const unknown: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
    let pending = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 4 && pending.length >= pending.readInt32LE(0)) {
        const message = pending.subarray(0, pending.readInt32LE(0));
        pending = pending.subarray(message.length);
        socket.write(answer(message));
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  const answer = (message: Buffer) => {
    const [id, opCode] = [message.readInt32LE(4), message.readInt32LE(12)];
    const result = BSON.serialize(run(opCode === opQuery ? legacyCommandIn(message) : commandIn(message)));
    // A driver begins with OP_QUERY, then continues with OP_MSG.
    return opCode === opQuery
      ? framed(id, opReply, Buffer.concat([Buffer.alloc(16), int32(1), result]))
      : framed(id, opMsg, Buffer.concat([int32(0), Buffer.of(0), result]));
  };

  const run = (command: Document): Document => {
    const [name = '', target] = Object.entries(command)[0] ?? [];
    const work = commands[name.toLowerCase()];
    if (work === undefined) {
      unknown.push(name);
      return { ok: 0, code: 59, codeName: 'CommandNotFound', errmsg: `no such command: '${name}'` };
    }
    const documents = collections.get(String(target)) ?? [];
    collections.set(String(target), documents);
    return { ...work(command, documents), ok: 1 };
  };

  return {
    url: `mongodb://127.0.0.1:${(server.address() as AddressInfo).port}/posthorn`,
    unknown,
    documents: (collection: string) => collections.get(collection) ?? [],
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};

const hello = () => ({
  helloOk: true,
  ismaster: true,
  isWritablePrimary: true,
  minWireVersion: 0,
  maxWireVersion: 25,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  localTime: new Date(),
  readOnly: false,
});

const done = () => ({});
const cursor = (command: Document, firstBatch: Document[]) => ({
  cursor: { id: BSON.Long.ZERO, ns: `${command.$db}.${Object.values(command)[0]}`, firstBatch },
});

/** By their names in lower case. */
const commands: Record<string, (command: Document, documents: Document[]) => Document> = {
  hello,
  ismaster: hello,
  ping: done,
  createindexes: done,
  endsessions: done,
  find: (command, documents) => cursor(command, select(documents, command.filter, command.sort)),
  aggregate: (command, documents) => {
    // countDocuments: matches, then counts.
    const [{ $match } = {}] = command.pipeline as { $match?: Document }[];
    const count = select(documents, $match).length;
    return cursor(command, count === 0 ? [] : [{ _id: 1, n: count }]);
  },
  insert: (command, documents) => ({ n: documents.push(...(command.documents as Document[])) && 1 }),
  update: (command, documents) => {
    const [{ q, u } = {}] = command.updates as { q?: Document; u?: Update }[];
    const [document] = select(documents, q);
    if (document) Object.assign(document, u?.$set);
    return { n: document ? 1 : 0, nModified: document ? 1 : 0 };
  },
  delete: (command, documents) => {
    const [{ q } = {}] = command.deletes as { q?: Document }[];
    const gone = select(documents, q);
    for (const document of gone) documents.splice(documents.indexOf(document), 1);
    return { n: gone.length };
  },
  findandmodify: (command, documents) => {
    const { query, sort, upsert } = command;
    const { $set, $setOnInsert } = command.update as Update;
    const [document] = select(documents, query, sort);
    if (document) return { value: Object.assign(document, $set), lastErrorObject: { n: 1, updatedExisting: true } };
    if (!upsert) return { value: null, lastErrorObject: { n: 0, updatedExisting: false } };
    const added = { _id: new BSON.ObjectId(), ...(query as Document), ...$setOnInsert, ...$set };
    documents.push(added);
    return { value: added, lastErrorObject: { n: 1, updatedExisting: false, upserted: added._id } };
  },
};

interface Update {
  $set?: Document;
  $setOnInsert?: Document;
}

const select = (documents: readonly Document[], filter: unknown, sort: unknown = {}) => {
  const order = Object.entries(sort as Record<string, number>);
  return documents
    .filter((document) => matches(document, (filter ?? {}) as Document))
    .toSorted((a, b) => {
      for (const [field, direction] of order) {
        const [left, right] = [comparable(a[field]), comparable(b[field])];
        if (left !== right) return (left ?? 0) < (right ?? 0) ? -direction : direction;
      }
      return 0;
    });
};

const matches = (document: Document, filter: Document): boolean =>
  Object.entries(filter).every(([field, condition]) => {
    if (field === '$or') return (condition as Document[]).some((one) => matches(document, one));
    const value = comparable(document[field]);
    const isOperators = Object.keys((condition ?? {}) as object).some((key) => key.startsWith('$'));
    if (!isOperators) return value === comparable(condition);
    return Object.entries(condition as Document).every(([operator, wanted]) => compare(operator, value, wanted));
  });

const compare = (operator: string, value: string | number | null, wanted: unknown) => {
  const list = () => (wanted as unknown[]).map(comparable);
  if (operator === '$eq') return value === comparable(wanted);
  if (operator === '$ne') return value !== comparable(wanted);
  if (operator === '$in') return list().includes(value);
  if (operator === '$nin') return !list().includes(value);
  if (operator === '$lte') return value !== null && value <= (comparable(wanted) ?? 0);
  throw new Error(`the stand-in for MongoDB has no ${operator}`);
};

/** A field that is missing equals null, as in MongoDB. */
const comparable = (value: unknown): string | number | null => {
  if (value === undefined || value === null) return null;
  if (value instanceof Date) return value.getTime();
  return typeof value === 'number' ? value : String(value);
};

const int32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
};

const framed = (responseTo: number, opCode: number, body: Buffer) =>
  Buffer.concat([int32(16 + body.length), int32(0), int32(responseTo), int32(opCode), body]);

/** Flags, the name of a collection, two numbers, and the command. */
const legacyCommandIn = (message: Buffer): Document =>
  BSON.deserialize(message.subarray(message.indexOf(0, 20) + 1 + 8));

/** Flags, then sections: the command, and lists of documents that belong to it by name. */
const commandIn = (message: Buffer): Document => {
  const command: Document = {};
  let at = 20;
  while (at < message.length) {
    const kind = message[at];
    const size = message.readInt32LE(at + 1);
    const section = message.subarray(at + 1, at + 1 + size);
    if (kind === 0) Object.assign(command, BSON.deserialize(section));
    else {
      const nameEnd = section.indexOf(0, 4);
      command[section.toString('utf8', 4, nameEnd)] = documentsIn(section.subarray(nameEnd + 1));
    }
    at += 1 + size;
  }
  return command;
};

const documentsIn = (bytes: Buffer): Document[] => {
  const documents: Document[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readInt32LE(at)) {
    documents.push(BSON.deserialize(bytes.subarray(at, at + bytes.readInt32LE(at))));
  }
  return documents;
};
