import { z } from 'zod';

const wholeNumber = (min: number, max: number) =>
  z.coerce.number(`must be a number from ${min} to ${max}`).int().min(min).max(max);

const list = (entry: RegExp, message: string) =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(z.string().regex(entry, message)));

/** Parses `90m`, `6h`, `30d`; undefined if the text has another form. */
export const durationMs = (text: string): number | undefined => {
  const [, count, unit = ''] = /^\+?(\d{1,6}) ?([smhd])$/.exec(text.trim()) ?? [];
  const unitMs: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  return count === undefined ? undefined : Number(count) * (unitMs[unit] ?? 0);
};

/** What a process does: answer requests, run jobs, or both. */
export const roles = ['web', 'jobs', 'all'] as const;
export type ProcessRole = (typeof roles)[number];

/** Who may create a workspace: owners and admins of one, everyone who is signed in, or only the operator. */
const newWorkspaces = ['admins', 'everyone', 'operator'] as const;
export type NewWorkspaces = (typeof newWorkspaces)[number];

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const trueOrFalse = z.enum(['true', 'false'], 'must be true or false');

const duration = (example: string) =>
  z
    .string()
    .default(example)
    .refine((text) => durationMs(text) !== undefined, `must be a number with s, m, h or d, such as ${example}`);

/** The default that docs/settings.md shows for a setting without a literal one. */
const without = (text: string) => ({ without: text });

/** docs/settings.md is generated from these descriptions, in this order. */
export const Settings = z.object({
  NODE_ENV: z
    .enum(['production', 'development', 'test'], 'must be production, development or test; left out it is development')
    .default('development')
    .describe('In `production`, embedded components must be enabled explicitly'),
  PORT: wholeNumber(0, 65_535).default(3000).describe('Port to listen on'),
  POSTHORN_ROLE: z
    .enum(roles, `must be one of ${roles.join(', ')}`)
    .default('all')
    .describe(
      'What this process does, also as `--role`: `web` answers requests and claims no due work. `jobs` does the due work, and answers only `/healthz`, `/readyz` and `/metrics`. `all` does both. See [Scaling](scaling.md)',
    ),
  WEB_PROCESSES: wholeNumber(1, 64)
    .default(1)
    .describe(
      'How many processes one `posthorn start` runs on its port, for machines with more cores. Each is an instance; one that dies is replaced',
    ),
  HOST: z
    .string()
    .optional()
    .describe('Which address to listen on')
    .meta(without('`127.0.0.1`; in production all addresses')),
  BASE_URL: z
    .string()
    .regex(/^https?:\/\/[^/?#@\s]+\/?$/, 'must be http(s)://host[:port] without a path')
    .optional()
    .describe('The public address of the service, without a path')
    .meta(without('`http://localhost:PORT`')),
  POSTHORN_DATA: z
    .string()
    .min(1)
    .default('.posthorn')
    .describe('Folder of the embedded database, of media, and of the keys that the first start creates'),
  DATABASE_URL: z
    .string()
    .min(1)
    .optional()
    .describe(
      'An outside PostgreSQL 15 or later, `postgres://user:password@host/database`. With standbys, name all servers, `postgres://user:password@one:5432,other:5432/database?target_session_attrs=read-write`: Posthorn uses the one that accepts writes. PgBouncer works in session mode, and in transaction mode with `DATABASE_DIRECT_URL`. See [Scaling](scaling.md)',
    )
    .meta(without('the embedded PostgreSQL')),
  DATABASE_DIRECT_URL: z
    .string()
    .min(1)
    .optional()
    .describe(
      'When `DATABASE_URL` is PgBouncer in transaction mode: the address of PostgreSQL itself, or of a pool in session mode. Notices and Agenda use it, with 5 connections per instance',
    ),
  DATABASE_REPLICA_URL: z
    .string()
    .min(1)
    .optional()
    .describe(
      'A streaming replica for lists, logs, exports and analytics. It is used only while it has everything that was committed before the request; otherwise the leader answers',
    ),
  EMBEDDED_DATABASE: trueOrFalse.optional().describe('`true` allows the embedded database in production'),
  DATABASE_POOL: wholeNumber(1, 100)
    .default(4)
    .describe(
      'Connections for queries, and as many for transactions. An instance has 2 × `DATABASE_POOL` + 5 in all; the 5 are for listeners and Agenda. A request that finds none free waits up to 15 s, then gets 429 with `Retry-After`',
    ),
  STATEMENT_LINE: z
    .enum(['on', 'off'], 'must be on or off')
    .default('on')
    .describe(
      'While all connections for queries are busy, short statements that wait are sent together on the next free one. `off` sends one at a time and uses the public interface of the PostgreSQL driver alone: slower under load, and the first thing to try when the driver is suspected',
    ),
  START_PATIENCE: duration('60s').describe(
    'How long a start waits for a database that is not up yet, or for a session that holds the lock of migrations',
  ),
  DRAIN_SECONDS: z.coerce
    .number('must be a number of seconds')
    .min(1)
    .max(3600)
    .default(10)
    .describe('How long an instance that is asked to stop may take to finish its work; another one continues the rest'),
  LOG_LEVEL: z
    .enum(logLevels, `must be one of ${logLevels.join(', ')}`)
    .default('info')
    .describe('Logs are JSON lines on standard output: see [what each level means](operating.md#logs)'),
  LOG_FILE: z
    .string()
    .min(1)
    .optional()
    .describe(
      'A file that also gets every line of the log, for `posthorn logs`. At 20 MB it is renamed to `.1`, the one before to `.2`, up to `.5`',
    ),
  REQUESTS_PER_MINUTE: wholeNumber(1, 1_000_000_000)
    .default(300)
    .describe('Rate limit per token, and per address without one. Instances sum up their counts every second'),
  SIGN_INS_PER_HOUR: wholeNumber(1, 1_000_000)
    .default(60)
    .describe(
      'Sign-in attempts per address, on all instances together. After five wrong passwords in a row for one account from one network, each attempt also waits longer, up to 15 minutes',
    ),
  REGISTRATIONS_PER_HOUR: wholeNumber(1, 1_000_000)
    .default(60)
    .describe('MCP clients that may register themselves from one network, on all instances together'),
  NEW_WORKSPACES: z
    .enum(newWorkspaces, `must be one of ${newWorkspaces.join(', ')}`)
    .default('admins')
    .describe(
      'Who may create a workspace: `admins` (owners and admins of one), `everyone`, or `operator` (who set Posthorn up)',
    ),
  CORS_ORIGINS: list(/^https?:\/\/[^/?#@\s]+$/, 'must be https://host[:port], more of them after commas')
    .default([])
    .describe(
      'Origins whose pages may call the API with a personal token, such as `https://tools.example.com`. Everybody who sees such a page can read its token',
    )
    .meta(without('none: only pages of this server')),
  SECURITY_CONTACT: z
    .string()
    .regex(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, 'must be mailto: and an address, or an https:// address')
    .optional()
    .describe(
      'Whom to tell about a security flaw of this installation, shown in `/.well-known/security.txt`: `mailto:security@example.com`, or an https address',
    )
    .meta(without('no such file')),
  TRUST_PROXY: wholeNumber(0, 10)
    .default(0)
    .describe('How many proxies in front pass the address of the client in `X-Forwarded-For`'),
  AUTH_URL: z
    .string()
    .regex(/^https?:\/\/[^?#@\s]+$/, 'must be the issuer address of an OpenID Connect provider')
    .optional()
    .describe(
      'An outside OpenID Connect provider for sign-in and MCP, with redirect address `{BASE_URL}/sign-in/callback`. Its access tokens must be JWTs by RFC 9068 (`typ: at+jwt`) with audience `{BASE_URL}/mcp`. There are no passwords then: see [People](people.md)',
    )
    .meta(without('the embedded provider')),
  AUTH_CLIENT_ID: z.string().optional().describe('Client id of Posthorn at that provider'),
  AUTH_CLIENT_SECRET: z.string().optional().describe('Its secret, if it has one'),
  AUTH_TRUST_EMAIL: trueOrFalse
    .default('false')
    .describe('`true`: addresses count as verified when that provider does not send `email_verified` at all'),
  ENCRYPTION_KEYS: list(/^\w+:[A-Za-z0-9+/]{43}=$/, 'must be <key id>:<32 bytes in base64>, the newest first')
    .optional()
    .describe('`id:base64 of 32 bytes`, newest first: encrypts secrets in the database')
    .meta(without('created by the first start')),
  MONGODB_URL: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\//, 'must begin with mongodb:// or mongodb+srv://')
    .optional()
    .describe('Where Agenda stores its recurring jobs; posts are never there')
    .meta(without('PostgreSQL')),
  ADMIN_TOKEN: z.string().min(16, 'must have at least 16 characters').optional().describe('Reads `/metrics`'),
  LATE_GRACE: duration('24h')
    .refine((text) => durationMs(text) !== 0, 'must be at least 1s')
    .describe('A post that is overdue by more than this, after an outage, is not published'),
  AUDIT_KEEP: duration('730d')
    .refine((text) => (durationMs(text) ?? 0) >= 86_400_000, 'must be at least 1d')
    .describe('How long the audit log keeps an entry'),
  BACKUP_AT: z
    .string()
    .regex(/^(off|([01]\d|2[0-3]):[0-5]\d)$/, 'must be a time such as 03:00, or off')
    .optional()
    .describe(
      'When the nightly backup begins, by the clock of the machine, or `off`. It is restored into a scratch database right after: see [Backups](operating.md#backups)',
    )
    .meta(without('`03:00` with the embedded database; `off` with `DATABASE_URL`')),
  BACKUP_KEEP: z
    .string()
    .regex(/^\d{1,3}d \d{1,3}w$/, 'must be days and weeks, such as 7d 4w')
    .default('7d 4w')
    .describe(
      'Which nightly backups are kept: `7d 4w` keeps the newest of each of the last 7 days and of each of the last 4 weeks',
    ),
  BACKUP_FOLDER: z
    .string()
    .min(1)
    .optional()
    .describe('Where nightly backups are; best on another disk')
    .meta(without('the folder `backups` in `POSTHORN_DATA`')),
  SENDS_PER_NETWORK: wholeNumber(1, 1000)
    .default(64)
    .describe('How many sends to one network an instance has in flight'),
  SEND_LEASE_SECONDS: z.coerce
    .number('must be a number of seconds')
    .min(1)
    .max(600)
    .default(60)
    .describe('If an instance stops responding for this long, its sends are reassigned'),
  NETWORK_TIMEOUT_SECONDS: z.coerce
    .number('must be a number of seconds')
    .min(0.1)
    .max(600)
    .default(30)
    .describe('How long Posthorn waits for the answer of a network, on top of the time for uploads'),
  SANDBOX_URL: z
    .string()
    .regex(
      /^https?:\/\/[^?#@\s]+[^/?#@\s]$/,
      'must be the http(s):// address of a server that has the sandbox networks',
    )
    .optional()
    .describe('Where the sandbox networks are, for tests with several instances')
    .meta(without('this server')),
  OUTBOUND_ALLOW: list(/^(\[[\da-f:]+\]|[\w.-]+):\d+$/i, 'must be host:port, more of them after commas')
    .default([])
    .describe('Development only: `host:port` that the guarded client may reach over https though it is private'),
  OUTBOUND_CA: z
    .string()
    .optional()
    .describe('Development only: a file with one more certificate authority for that client'),
  FFMPEG_PATH: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder of `ffmpeg` and `ffprobe`, which convert videos for networks: see [Publishing](publishing.md#videos-that-break-a-limit)',
    )
    .meta(without('where programs usually are')),
  MAX_IMAGE_MB: wholeNumber(1, 1000).default(30).describe('The largest image that may be uploaded'),
  MAX_VIDEO_MB: wholeNumber(1, 5000).default(1024).describe('The largest video that may be uploaded'),
  MAX_LIBRARY_GB: wholeNumber(1, 1_000_000)
    .optional()
    .describe('How large the media library of a workspace may become')
    .meta(without('as large as the disk allows')),
  DISK_RESERVE_MB: wholeNumber(0, 1_000_000)
    .default(500)
    .describe(
      'Free space that uploads leave on the disk of `POSTHORN_DATA`, for the database: see [Operating Posthorn](operating.md#a-disk-that-fills-up)',
    ),
  S3_ENDPOINT: z
    .string()
    .regex(/^https?:\/\/[^?#@\s]+$/, 'must be the http(s):// address of the store')
    .optional()
    .describe(
      'Any S3-compatible store for media, addressed by path. Use the bucket only for Posthorn: files that belong to no media item are removed',
    )
    .meta(without('the folder `media` in `POSTHORN_DATA`')),
  S3_BUCKET: z.string().optional().describe('Its bucket'),
  S3_REGION: z.string().default('us-east-1').describe('Its region'),
  S3_ACCESS_KEY_ID: z.string().optional().describe('Its access key id'),
  S3_SECRET_ACCESS_KEY: z.string().optional().describe('Its secret access key'),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\/[^\s]+$/, 'must be smtp://user:password@host:587, or smtps:// for port 465')
    .optional()
    .describe(
      'The server that sends mail: forgotten passwords, invitations, and the notifications that people choose. `smtp://user:password@host:587` uses STARTTLS where the server offers it, `smtps://` TLS from the start; special characters percent-encoded',
    )
    .meta(without('no mail is sent')),
  MAIL_FROM: z
    .string()
    .regex(/^([^<>@\r\n]* <)?[^\s<>@,;]+@[^\s<>@,;]+>?$/, 'must be an address, or Name <address>')
    .optional()
    .describe('Who mails come from: an address, or `Name <address>`'),
  LLM_BASE_URL: z
    .string()
    .regex(/^https?:\/\/[^?#@\s]+$/, 'must be the http(s):// address of the API, without user name and query')
    .optional()
    .describe(
      'The language model of the [assistant](assistant.md): any OpenAI-compatible address, such as `http://localhost:11434/v1`. It may be private. With `ANTHROPIC_API_KEY`: another address for that API',
    )
    .meta(without('the embedded model')),
  LLM_API_KEY: z.string().optional().describe('The key to it, if it takes one'),
  LLM_MODEL: z
    .string()
    .optional()
    .describe('The name of the model; required with `LLM_BASE_URL` or `ANTHROPIC_API_KEY`'),
  LLM_TIMEOUT_SECONDS: wholeNumber(1, 3600).default(120).describe('How long one answer of the assistant may take'),
  ANTHROPIC_API_KEY: z.string().optional().describe("The assistant uses `LLM_MODEL` of Anthropic's API with this key"),
});
