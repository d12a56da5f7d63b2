import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import type { z } from 'zod';
import { isUrl } from '#contracts/is-url';
import { bounds } from '#server/base/bounds';
import { isPublicIp } from '#server/base/outbound/public-address';
import { durationMs, type NewWorkspaces, type ProcessRole, roles, Settings } from './settings.ts';

const findPackageRoot = (folder: string): string =>
  existsSync(join(folder, 'package.json')) ? folder : findPackageRoot(dirname(folder));

/** Searched for, because the sources in server/base/config/ and the bundle in dist/ are at different depths. */
export const packageRoot = findPackageRoot(import.meta.dirname);
export const { version: packageVersion } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
  version: string;
};

/** The built web app. */
export const webFolder = join(packageRoot, 'dist/web');
/** The built pages of docs/. */
export const helpFolder = join(packageRoot, 'dist/help');

export { durationMs, type NewWorkspaces, type ProcessRole, roles };

export type Config = Readonly<ReturnType<typeof readConfig>>;

export interface OutsideProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  /** Treats email addresses as verified if the provider does not send `email_verified`. */
  readonly trustEmail: boolean;
}

export interface OutsideModel {
  readonly api: 'OpenAI' | 'Anthropic';
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly model: string;
}

export interface S3Store {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface MailSettings {
  readonly smtpUrl: string;
  readonly from: string;
}

/** A setting that keeps Posthorn from starting; the message says what to do. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

export const readConfig = (env: NodeJS.ProcessEnv = process.env) => {
  // `docker compose` passes unset variables as empty strings.
  const variables = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  // Parsed once per process, so compiling the schema would take longer than it saves.
  const parsed = Settings.safeParse(variables, { jitless: true });
  if (!parsed.success) {
    throw new SettingError(parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('\n'));
  }
  const settings = parsed.data;
  const production = settings.NODE_ENV === 'production';
  const baseUrl = (settings.BASE_URL ?? `http://localhost:${settings.PORT}`).replace(/\/$/, '');
  if (production && !settings.DATABASE_URL && settings.EMBEDDED_DATABASE !== 'true') {
    throw new SettingError(
      'DATABASE_URL is not set. In production say where PostgreSQL is, or set EMBEDDED_DATABASE=true to use the embedded one on purpose.',
    );
  }
  if (production && !baseUrl.startsWith('https:')) {
    throw new SettingError(
      `BASE_URL ${settings.BASE_URL ? `is ${baseUrl}` : 'is not set'}. In production set it to the https:// address that people and agents use.`,
    );
  }
  if (settings.OUTBOUND_ALLOW.length > 0 && isPublicAddress(baseUrl)) {
    throw new SettingError(
      'OUTBOUND_ALLOW is for development: remove it, or a user of this public server could reach what is private to it.',
    );
  }
  return {
    production,
    role: settings.POSTHORN_ROLE,
    /** Processes that share the port. */
    webProcesses: settings.WEB_PROCESSES,
    port: settings.PORT,
    host: settings.HOST ?? (production ? '::' : '127.0.0.1'),
    baseUrl,
    isBaseUrlSet: variables.BASE_URL !== undefined || variables.PORT !== undefined,
    dataDir: resolve(settings.POSTHORN_DATA),
    isDataDirSet: variables.POSTHORN_DATA !== undefined,
    /** Absent: the embedded PostgreSQL below dataDir. */
    databaseUrl: settings.DATABASE_URL,
    /** Bypasses a pooler in transaction mode, which supports no LISTEN. */
    databaseDirectUrl: settings.DATABASE_DIRECT_URL,
    databaseReplicaUrl: settings.DATABASE_REPLICA_URL,
    poolSize: settings.DATABASE_POOL,
    /** Whether waiting statements are sent together on one connection. */
    statementLine: settings.STATEMENT_LINE === 'on',
    logLevel: settings.LOG_LEVEL,
    logFile: settings.LOG_FILE && resolve(settings.LOG_FILE),
    requestsPerMinute: settings.REQUESTS_PER_MINUTE,
    /** Per IP address. */
    signInsPerHour: settings.SIGN_INS_PER_HOUR,
    /** Dynamic registrations of MCP clients, per IP network. */
    registrationsPerHour: settings.REGISTRATIONS_PER_HOUR,
    /** Origins whose pages may use the API with a token. */
    corsOrigins: settings.CORS_ORIGINS,
    /** For security.txt. */
    securityContact: settings.SECURITY_CONTACT,
    /** Number of proxies in front whose `X-Forwarded-For` is trusted. */
    trustProxy: settings.TRUST_PROXY,
    /** Absent: the keys in the data folder. */
    encryptionKeys: settings.ENCRYPTION_KEYS,
    /** Absent: the embedded identity provider. */
    outsideProvider: outsideProvider(settings, production),
    newWorkspaces: settings.NEW_WORKSPACES,
    /** Exceptions for the guarded client, which otherwise reaches the public internet only. */
    outbound: {
      allow: settings.OUTBOUND_ALLOW,
      extraCa: settings.OUTBOUND_CA && readSettingFile('OUTBOUND_CA', settings.OUTBOUND_CA),
    },
    media: {
      imageBytes: settings.MAX_IMAGE_MB * 1024 * 1024,
      videoBytes: settings.MAX_VIDEO_MB * 1024 * 1024,
      documentBytes: bounds.documentBytes,
      /** Of all files of a workspace. Absent: no limit. */
      libraryBytes: settings.MAX_LIBRARY_GB && settings.MAX_LIBRARY_GB * 1024 ** 3,
      /** Free space of the data folder that uploads leave. */
      reserveBytes: settings.DISK_RESERVE_MB * 1024 * 1024,
      /** Folder of ffmpeg and ffprobe; empty: where programs usually are. */
      ffmpegFolder: settings.FFMPEG_PATH ? resolve(settings.FFMPEG_PATH) : '',
      /** Absent: a folder below dataDir. */
      s3: s3Store(settings),
    },
    /** Absent: no mail is sent. */
    mail: mailSettings(settings),
    /** Without a model, the embedded one answers. */
    assistant: { model: outsideModel(settings), answerMs: settings.LLM_TIMEOUT_SECONDS * 1000 },
    /** Started by `npm start`; the process has to stop when npm is gone. */
    childOfNpm: variables.npm_lifecycle_event === 'start',
    /** A post that is overdue by more than this, after an outage, fails instead of being published. */
    lateGraceMs: durationMs(settings.LATE_GRACE) ?? 0,
    auditRetentionMs: durationMs(settings.AUDIT_KEEP) ?? 0,
    backup: backupSettings(settings),
    /** How long the start waits for the database and the media store. */
    startTimeoutMs: durationMs(settings.START_PATIENCE) ?? 0,
    drainMs: settings.DRAIN_SECONDS * 1000,
    networkTimeoutMs: settings.NETWORK_TIMEOUT_SECONDS * 1000,
    sendsPerNetwork: settings.SENDS_PER_NETWORK,
    /** An instance that does not renew its lease for this long loses its running sends. */
    sendLeaseMs: settings.SEND_LEASE_SECONDS * 1000,
    /** Address of the sandbox networks. Absent: this server. */
    sandboxUrl: settings.SANDBOX_URL,
    /** Absent: Agenda keeps its jobs in PostgreSQL. */
    mongodbUrl: settings.MONGODB_URL,
    /** For operators. Absent: nobody may read /metrics. */
    adminToken: settings.ADMIN_TOKEN,
    /** Reads any environment variable, for the credentials of networks. */
    setting: (name: string) => variables[name],
    /** Names of all environment variables, including foreign ones. */
    settingNames: Object.keys(variables),
  };
};

const backupSettings = (settings: z.output<typeof Settings>) => {
  const at = settings.BACKUP_AT ?? (settings.DATABASE_URL === undefined ? '03:00' : 'off');
  const [days = 0, weeks = 0] = settings.BACKUP_KEEP.split(' ').map((part) => Number.parseInt(part, 10));
  return {
    /** `03:00`; absent when no backups are made at night. */
    at: at === 'off' ? undefined : at,
    keep: { days, weeks },
    folder: resolve(settings.BACKUP_FOLDER ?? join(settings.POSTHORN_DATA, 'backups')),
  };
};

const outsideProvider = (
  {
    AUTH_URL: issuer,
    AUTH_CLIENT_ID: clientId,
    AUTH_CLIENT_SECRET: clientSecret,
    AUTH_TRUST_EMAIL,
  }: z.output<typeof Settings>,
  production: boolean,
): OutsideProvider | undefined => {
  if (issuer === undefined) return undefined;
  if (clientId === undefined) {
    throw new SettingError(
      'AUTH_CLIENT_ID is not set. Register Posthorn at the provider of AUTH_URL, with {BASE_URL}/sign-in/callback as redirect address.',
    );
  }
  if (production && !issuer.startsWith('https:')) throw new SettingError('AUTH_URL must begin with https://.');
  return { issuer, clientId, clientSecret, trustEmail: AUTH_TRUST_EMAIL === 'true' };
};

const outsideModel = ({
  LLM_BASE_URL: baseUrl,
  LLM_API_KEY: apiKey,
  LLM_MODEL: model,
  ANTHROPIC_API_KEY: anthropicKey,
}: z.output<typeof Settings>): OutsideModel | undefined => {
  if (baseUrl === undefined && anthropicKey === undefined) {
    if (model === undefined && apiKey === undefined) return undefined;
    throw new SettingError(
      `${model === undefined ? 'LLM_API_KEY' : 'LLM_MODEL'} is set, but not where the model is. Set LLM_BASE_URL or ANTHROPIC_API_KEY as well, or none of them for the embedded model.`,
    );
  }
  if (model === undefined) {
    throw new SettingError(
      `LLM_MODEL is not set. Name the model that the assistant uses at ${anthropicKey === undefined ? 'LLM_BASE_URL' : 'Anthropic'}.`,
    );
  }
  if (anthropicKey !== undefined && apiKey !== undefined) {
    throw new SettingError(
      "LLM_API_KEY and ANTHROPIC_API_KEY are both set. Keep ANTHROPIC_API_KEY for Anthropic's API, or LLM_API_KEY for an OpenAI-compatible one.",
    );
  }
  return anthropicKey === undefined
    ? { api: 'OpenAI', baseUrl: baseUrl ?? '', apiKey, model }
    : { api: 'Anthropic', baseUrl: baseUrl ?? 'https://api.anthropic.com/v1', apiKey: anthropicKey, model };
};

const s3Store = (settings: z.output<typeof Settings>): S3Store | undefined => {
  const {
    S3_ENDPOINT: endpoint,
    S3_BUCKET: bucket,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  } = settings;
  if (endpoint && bucket && accessKeyId && secretAccessKey) {
    return { endpoint, bucket, region: settings.S3_REGION, accessKeyId, secretAccessKey };
  }
  if (!endpoint && !bucket && !accessKeyId && !secretAccessKey) return undefined;
  throw new SettingError(
    'For media in an S3 store set all of S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY; for the local folder set none.',
  );
};

const mailSettings = ({ SMTP_URL: smtpUrl, MAIL_FROM: from }: z.output<typeof Settings>): MailSettings | undefined => {
  if (smtpUrl === undefined && from === undefined) return undefined;
  if (smtpUrl === undefined || from === undefined || !isUrl(smtpUrl)) {
    throw new SettingError(
      'To send mail set both SMTP_URL, like smtp://user:password@host:587, and MAIL_FROM; to send none set neither.',
    );
  }
  return { smtpUrl, from };
};

const readSettingFile = (setting: string, path: string) => {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new SettingError(`${setting}: ${(cause as Error).message}`, { cause });
  }
};

/** Networks that fetch media can reach a public https address only. */
export const isPublicAddress = (baseUrl: string) => {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol !== 'https:') return false;
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) ? isPublicIp(address) : /\.(?!(local|internal|localhost)$)[^.]+$/.test(hostname);
};

export const databaseFolder = ({ dataDir }: Config) => join(dataDir, 'database');
export const mediaFolder = ({ dataDir }: Config) => join(dataDir, 'media');
export const incomingFolder = ({ dataDir }: Config) => join(dataDir, 'incoming');
