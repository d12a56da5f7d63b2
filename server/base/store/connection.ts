import type { ConnectionOptions as TlsOptions } from 'node:tls';
import type pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** Address and credentials of the database. Parsed once and shared by every pool and client of the process. */
export interface Connection {
  host: string;
  port: number;
  /** A leader and its standbys in any order; absent when there is one server. */
  hosts?: readonly ServerAddress[];
  database: string;
  user?: string;
  password?: string;
  ssl?: boolean | TlsOptions;
  options?: string;
  /** How long opening it may take. */
  connectionTimeoutMillis?: number;
}

/** `setting` is the name of the setting, for messages. */
export function connectionFrom(databaseUrl: string, setting = 'DATABASE_URL'): Connection {
  const urls = splitHosts(databaseUrl, setting);
  const [first] = urls;
  const { database, user, password, ssl, options } = parseUrl(first, setting);
  if (!database) throw new Error(`${setting} names no database. ${urlHint}`);
  const hosts = urls.map((url) => addressOf(parseUrl(url, setting)));
  return {
    ...addressOf(parseUrl(first, setting)),
    ...(hosts.length > 1 && { hosts }),
    database,
    ...(user && { user }),
    ...(typeof password === 'string' && password && { password }),
    ...(ssl !== undefined && { ssl }),
    ...(options && { options }),
  };
}

const addressOf = ({ host, port }: pg.ClientConfig): ServerAddress => ({
  host: host || 'localhost',
  port: port ?? 5432,
});

/** Splits `postgres://user@one:5432,other:5432/database`, which libpq understands and pg does not, into one URL per host. */
function splitHosts(databaseUrl: string, setting: string): readonly [string, ...string[]] {
  const [, before = '', hosts = '', after = ''] =
    /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/.exec(databaseUrl) ?? [];
  const [first, ...others] = hosts.split(',');
  if (others.length === 0) return [databaseUrl];
  const target = /[?&]target_session_attrs=([^&]*)/.exec(after)?.[1] ?? 'read-write';
  if (!['read-write', 'primary'].includes(target)) {
    throw new Error(`target_session_attrs of ${setting} must be read-write: Posthorn writes on every connection.`);
  }
  return [`${before}${first}${after}`, ...others.map((host) => `${before}${host}${after}`)];
}

const urlHint = 'It looks like postgres://user:password@host:5432/database, special characters percent-encoded.';

function parseUrl(databaseUrl: string, setting: string): pg.ClientConfig {
  // The address holds a password, so no message repeats it.
  if (!/^(postgres(ql)?:\/\/|socket:|\/)/.test(databaseUrl))
    throw new Error(`${setting} is not understood. ${urlHint}`);
  try {
    return parseIntoClientConfig(databaseUrl);
  } catch (cause) {
    if (cause instanceof TypeError || cause instanceof URIError) {
      throw new Error(`${setting} is not understood. ${urlHint}`);
    }
    throw cause;
  }
}
