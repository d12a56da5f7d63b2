import { join, resolve } from 'node:path';
import { z } from 'zod';

/** Where package.json is, for the sources in server/ and the bundle in dist/ alike. */
export const packageRoot = resolve(import.meta.dirname, '..');

const wholeNumber = (min: number, max: number) =>
  z.coerce.number(`must be a number from ${min} to ${max}`).int().min(min).max(max);

const Settings = z.object({
  NODE_ENV: z.string().default('development'),
  PORT: wholeNumber(0, 65_535).default(3000),
  HOST: z.string().optional(),
  BASE_URL: z
    .string()
    .regex(/^https?:\/\/[^/?#@\s]+\/?$/, 'must be http(s)://host[:port] without a path')
    .optional(),
  POSTHORN_DATA: z.string().min(1).default('.posthorn'),
  DATABASE_URL: z.string().min(1).optional(),
  EMBEDDED_DATABASE: z.enum(['true', 'false'], 'must be true or false').optional(),
  DATABASE_POOL: wholeNumber(1, 100).default(4),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  REQUESTS_PER_MINUTE: wholeNumber(1, 1_000_000_000).default(300),
});

export interface Config {
  readonly production: boolean;
  readonly port: number;
  readonly host: string;
  readonly baseUrl: string;
  readonly dataDir: string;
  /** Absent: the embedded PostgreSQL below dataDir. */
  readonly databaseUrl: string | undefined;
  readonly poolSize: number;
  readonly logLevel: string;
  readonly requestsPerMinute: number;
  /** Begun by `npm start`, and so to end when that is gone. */
  readonly childOfNpm: boolean;
  /** Whether the operator has set this setting, for the credentials of networks. */
  readonly isSet: (setting: string) => boolean;
}

/** A setting that keeps Posthorn from starting; the message says what to do. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

export const readConfig = (env: NodeJS.ProcessEnv = process.env): Config => {
  // An empty variable is what `docker compose` makes of an unset one.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = Settings.safeParse(given);
  if (!parsed.success) {
    throw new SettingError(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));
  }
  const settings = parsed.data;
  const production = settings.NODE_ENV === 'production';
  if (production && !settings.DATABASE_URL && settings.EMBEDDED_DATABASE !== 'true') {
    throw new SettingError(
      'DATABASE_URL is not set. In production say where PostgreSQL is, or set EMBEDDED_DATABASE=true to use the embedded one on purpose.',
    );
  }
  return {
    production,
    port: settings.PORT,
    host: settings.HOST ?? (production ? '::' : '127.0.0.1'),
    baseUrl: (settings.BASE_URL ?? `http://localhost:${settings.PORT}`).replace(/\/$/, ''),
    dataDir: resolve(settings.POSTHORN_DATA),
    databaseUrl: settings.DATABASE_URL,
    poolSize: settings.DATABASE_POOL,
    logLevel: settings.LOG_LEVEL,
    requestsPerMinute: settings.REQUESTS_PER_MINUTE,
    childOfNpm: given.npm_lifecycle_event === 'start',
    isSet: (setting) => given[setting] !== undefined,
  };
};

/** Networks that fetch media can reach a public https address only. */
export const isPublicAddress = (baseUrl: string) => {
  const { protocol, hostname } = new URL(baseUrl);
  return (
    protocol === 'https:' &&
    hostname.includes('.') &&
    !/^(127\.|10\.|192\.168\.|169\.254\.)|\.(local|internal|localhost)$/.test(hostname)
  );
};

export const databaseFolder = ({ dataDir }: Config) => join(dataDir, 'database');
