import type { IncomingHttpHeaders } from 'node:http';

/** The version without a handshake: each request names its version in `_meta`. The others begin with `initialize`. */
export const modernVersion = '2026-07-28';
export const newestLegacyVersion = '2025-11-25';
export const versions: readonly string[] = [modernVersion, newestLegacyVersion, '2025-06-18', '2025-03-26'];

const errorCodes = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  headers: -32020,
  version: -32022,
} as const;

const metaKey = (name: string) => `io.modelcontextprotocol/${name}`;
const protocolVersionKey = metaKey('protocolVersion');
const clientCapabilitiesKey = metaKey('clientCapabilities');
export const clientInfoKey = metaKey('clientInfo');
export const serverInfoKey = metaKey('serverInfo');

export type Id = string | number;
export type Fields = Readonly<Record<string, unknown>>;

export interface Message {
  /** Absent on a notification. */
  readonly id: Id | undefined;
  readonly method: string;
  readonly params: Fields;
  readonly meta: Fields;
  readonly modern: boolean;
}

/** A violation of the protocol: a JSON-RPC error, with its HTTP status. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly code: number;
  readonly status: number;
  readonly data: Fields | undefined;

  constructor(kind: keyof typeof errorCodes, message: string, status: number, data?: Fields) {
    super(message);
    this.code = errorCodes[kind];
    this.status = status;
    this.data = data;
  }
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The id to answer with. MCP has no null id, and a number that JavaScript rounds could not be echoed. */
export const idOf = (body: unknown): Id | undefined => {
  const id = isFields(body) ? body.id : undefined;
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as Id) : undefined;
};

/** Parses one message, and checks everything that does not depend on the parameters of its method. */
export const readMessage = (body: unknown, headers: IncomingHttpHeaders): Message => {
  if (Array.isArray(body)) throw notRequest('Batches are not taken: send one message per request.');
  if (!isFields(body) || body.jsonrpc !== '2.0') throw notRequest('The body must be one JSON-RPC 2.0 message.');
  const { method, params = noFields } = body;
  const id = idOf(body);
  if (typeof method !== 'string') throw notRequest('method must be a string.');
  if (id === undefined && 'id' in body) throw notRequest('id must be a string or an integer.');
  if (!isFields(params)) throw notRequest('params must be an object.');
  const { _meta: meta = noFields } = params;
  if (!isFields(meta)) throw badParams('_meta must be an object.', 400);

  const version = readVersion(meta, headers);
  const modern = version === modernVersion;
  const message = { id, method, params, meta, modern };
  if (modern && id !== undefined) checkModern(message, headers);
  return message;
};

const noFields: Fields = {};

/** Returns undefined for a client of 2025-03-26, which sends no version header. */
const readVersion = (meta: Fields, headers: IncomingHttpHeaders): unknown => {
  const claimed = meta[protocolVersionKey];
  const header = headers['mcp-protocol-version'];
  if (claimed !== undefined && typeof claimed !== 'string') {
    throw badParams(`_meta.${protocolVersionKey} must be a string.`, 400);
  }
  if (claimed !== undefined && header !== undefined && claimed !== header) {
    throw mismatch('The header MCP-Protocol-Version and _meta name different versions.');
  }
  const version = claimed ?? header;
  if (version !== undefined && !versions.includes(String(version))) throw unknownVersion(String(version));
  return version;
};

/** Required of every request in 2026-07-28, and unknown to older clients. */
const checkModern = ({ method, params, meta }: Message, headers: IncomingHttpHeaders) => {
  if (meta[protocolVersionKey] === undefined) {
    const missing = `_meta.${protocolVersionKey} is required in ${modernVersion}.`;
    throw method === 'initialize' ? mismatch(missing) : badParams(missing, 400);
  }
  if (!isFields(meta[clientCapabilitiesKey])) throw badParams(`_meta.${clientCapabilitiesKey} must be an object.`, 400);
  if (headers['mcp-protocol-version'] === undefined) throw mismatch('The header MCP-Protocol-Version is required.');
  if (headers['mcp-method'] !== method) throw mismatch('The header Mcp-Method must be the method of the body.');
  if (method === 'tools/call' && typeof params.name === 'string' && decoded(headers['mcp-name']) !== params.name) {
    throw mismatch('The header Mcp-Name must be the name of the tool.');
  }
};

const encoded = /^=\?base64\?(.*)\?=$/;

/** A name that no header can hold comes as `=?base64?…?=`; undefined when that is not well formed. */
const decoded = (header: string | string[] | undefined) => {
  const base64 = encoded.exec(String(header))?.[1];
  if (base64 === undefined) return header;
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64') === base64 ? bytes.toString() : undefined;
};

/** Text of the caller is echoed only up to this length. */
const short = (text: string) => text.slice(0, 100).toWellFormed();

const notRequest = (message: string) => new ProtocolError('request', message, 400);
const mismatch = (message: string) => new ProtocolError('headers', message, 400);

/** 200 when the message is well formed and only the call is wrong; 400 when the message itself is bad. */
export const badParams = (message: string, status: 200 | 400 = 200) => new ProtocolError('params', message, status);

export const unknownVersion = (version: string) => {
  const requested = short(version);
  return new ProtocolError('version', `Unsupported protocol version: ${requested}`, 400, {
    supported: versions,
    requested,
  });
};

export const unknownTool = (name: string) =>
  badParams(`Unknown tool: ${short(name)}. tools/list names those that this token may call.`);

/** 2026-07-28 gives an unknown method a status of its own. */
export const unknownMethod = ({ method, modern }: Message) =>
  new ProtocolError('method', `Method not found: ${short(method)}`, modern ? 404 : 200);

export const resultText = (id: Id, result: string) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;

/** Without an id where none could be read: null is not an id in MCP. */
export const errorText = (id: Id | undefined, { code, message, data }: ProtocolError) =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });
