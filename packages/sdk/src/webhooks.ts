import type { WebhookEvent } from './generated/types.ts';
import { PosthornError } from './posthorn-error.ts';

export interface VerifyWebhookOptions {
  /** How far the time of the signature may be from the clock, in both directions. Default 300 */
  toleranceSeconds?: number | undefined;
  /** The time to compare with, for tests. Default: now */
  now?: Date | undefined;
}

export interface SignWebhookOptions {
  /** The time of the signature. Default: now */
  now?: Date | undefined;
}

export type WebhookRefusal =
  | 'MissingSecret'
  | 'NotTheRawBody'
  | 'MissingHeader'
  | 'MalformedHeader'
  | 'WrongSignature'
  | 'TooOld'
  | 'FromTheFuture'
  | 'NotAnEvent';

/** All headers as fetch, Node, Express or a Lambda give them, or the value of `Posthorn-Signature` alone. */
export type WebhookHeaders =
  | string
  | readonly string[]
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, unknown>>
  | null
  | undefined;

/** The delivery does not come from Posthorn, or not now: answer 400 and do nothing. */
export class WebhookVerificationError extends PosthornError {
  override readonly name: string = 'WebhookVerificationError';
  readonly reason: WebhookRefusal;

  constructor(reason: WebhookRefusal, message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Checks the `Posthorn-Signature` header of a delivery and returns its event.
 *
 * An event may arrive twice: deduplicate by its `id`. Answer 2xx to types you do not know; new ones may come.
 *
 * @param rawBody The body exactly as received, before any parsing
 * @param headers The headers of the request, or the value of `Posthorn-Signature`
 * @param secret The signing secret as it was shown, `whsec_` included; during a rotation, both
 * @throws {WebhookVerificationError} `reason` says why the delivery must be refused; nothing else is thrown
 *
 * @example
 * app.post('/hooks', express.raw({ type: 'application/json' }), async (req, res) => {
 *   const event = await verifyWebhook(req.body, req.headers, secret);
 *   if (event.type === 'post.failed') tellTheTeam(event.data.post.results);
 *   res.sendStatus(204);
 * });
 */
export const verifyWebhook = async (
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = new Date() }: VerifyWebhookOptions = {},
): Promise<WebhookEvent> => {
  const secrets = typeof secret === 'string' ? [secret] : Array.isArray(secret) ? (secret as readonly unknown[]) : [];
  if (secrets.length === 0 || !secrets.every(isSecret))
    throw new WebhookVerificationError('MissingSecret', 'There is no signing secret: pass the one of the webhook');
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array))
    throw new WebhookVerificationError(
      'NotTheRawBody',
      'The body is neither text nor bytes: pass it as received, before anything parses it, as express.raw() does',
    );
  const { time, signatures } = parseHeader(headerIn(headers));

  if (!(await isSigned(signedContent(time, rawBody), signatures, secrets)))
    throw new WebhookVerificationError(
      'WrongSignature',
      'No signature matches: the secret is another one, or the body is not the raw body as received',
    );

  const ageSeconds = now.getTime() / 1000 - Number(time);
  if (ageSeconds > toleranceSeconds)
    throw new WebhookVerificationError('TooOld', `Signed more than ${toleranceSeconds} seconds ago`);
  if (ageSeconds < -toleranceSeconds)
    throw new WebhookVerificationError(
      'FromTheFuture',
      `Signed more than ${toleranceSeconds} seconds ahead of this clock`,
    );

  return parseEvent(rawBody);
};

/** Makes a `Posthorn-Signature` header, so that a receiver can be tested without a server. */
export const signWebhook = async (
  rawBody: string | Uint8Array,
  secret: string,
  { now = new Date() }: SignWebhookOptions = {},
): Promise<string> => {
  const time = String(Math.floor(now.getTime() / 1000));
  if (!isSecret(secret)) throw new TypeError('signWebhook needs the signing secret of the webhook');
  const signature = await crypto.subtle.sign('HMAC', await keyOf(secret), signedContent(time, rawBody));
  const hex = Array.from(new Uint8Array(signature), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `t=${time},v1=${hex}`;
};

const isSecret = (secret: unknown): secret is string => typeof secret === 'string' && secret !== '';

const signatureHeader = 'posthorn-signature';

const headerIn = (headers: WebhookHeaders): string | undefined => {
  if (typeof headers === 'string') return headers;
  if (typeof headers !== 'object' || headers === null) return undefined;
  if (Array.isArray(headers)) return headers.length === 1 ? String(headers[0]) : headers.join(',');
  if ('get' in headers && typeof headers.get === 'function') return headers.get(signatureHeader) ?? undefined;
  const value = Object.entries(headers).find(([name]) => name.toLowerCase() === signatureHeader)?.[1];
  return typeof value === 'string' || Array.isArray(value) ? headerIn(value) : undefined;
};

const parseHeader = (header: string | undefined): { time: string; signatures: string[] } => {
  if (!header) throw new WebhookVerificationError('MissingHeader', 'There is no Posthorn-Signature header');
  const values = (name: string) =>
    header
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part.startsWith(`${name}=`))
      .map((part) => part.slice(name.length + 1));
  const [time, ...moreTimes] = values('t');
  const signatures = values('v1').filter((value) => /^[0-9a-f]{64}$/.test(value));
  if (time === undefined || !/^\d{1,12}$/.test(time) || moreTimes.length > 0 || signatures.length === 0)
    throw new WebhookVerificationError(
      'MalformedHeader',
      'The Posthorn-Signature header is not `t=<unix seconds>,v1=<hex>`',
    );
  return { time, signatures };
};

const signedContent = (time: string, rawBody: string | Uint8Array): Uint8Array<ArrayBuffer> => {
  const encoder = new TextEncoder();
  const prefix = encoder.encode(`${time}.`);
  const body = typeof rawBody === 'string' ? encoder.encode(rawBody) : rawBody;
  const content = new Uint8Array(prefix.length + body.length);
  content.set(prefix);
  content.set(body, prefix.length);
  return content;
};

const isSigned = async (
  content: Uint8Array<ArrayBuffer>,
  signatures: readonly string[],
  secrets: readonly string[],
): Promise<boolean> => {
  for (const secret of secrets) {
    const key = await keyOf(secret);
    // subtle.verify compares in constant time.
    for (const signature of signatures) {
      if (await crypto.subtle.verify('HMAC', key, bytesOf(signature), content)) return true;
    }
  }
  return false;
};

const keyOf = (secret: string): Promise<CryptoKey> => {
  const bytes = new TextEncoder().encode(secret);
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
};

const bytesOf = (hex: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

const parseEvent = (rawBody: string | Uint8Array): WebhookEvent => {
  const text = typeof rawBody === 'string' ? rawBody : new TextDecoder().decode(rawBody);
  try {
    const event = JSON.parse(text);
    if (typeof event?.id === 'string' && typeof event.type === 'string') return event;
  } catch {
    // Invalid JSON gets the same error as JSON without an event.
  }
  throw new WebhookVerificationError('NotAnEvent', 'The signature is right, but the body is not an event');
};
