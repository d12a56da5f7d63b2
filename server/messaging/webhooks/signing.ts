import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';

const prefix = 'whsec_';
const secretBytes = 24;

/** In the format of the Standard Webhooks specification, so that its verifiers accept the secret as shown. */
export const newSecret = () => prefix + randomBytes(secretBytes).toString('base64');

export interface SignedDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly type: string;
}

/** A secret as a key for each of the two schemes. */
export interface SigningKeys {
  readonly ours: KeyObject;
  readonly standard: KeyObject;
}

export const signingKeysOf = (secret: string): SigningKeys => ({
  ours: createSecretKey(secret, 'utf8'),
  standard: createSecretKey(secret.slice(prefix.length), 'base64'),
});

/** SPEC, Request sent to the target URL; beside it the headers of Standard Webhooks. One signature for each secret. */
export const deliveryHeaders = (
  { id, eventId, type }: SignedDelivery,
  body: Buffer,
  secrets: readonly SigningKeys[],
  now: Date,
) => {
  const time = String(Math.floor(now.getTime() / 1000));
  const ours = secrets.map((keys) => `v1=${sign(keys.ours, `${time}.`, body).digest('hex')}`);
  const standard = secrets.map((keys) => `v1,${sign(keys.standard, `${eventId}.${time}.`, body).digest('base64')}`);
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Posthorn-Webhooks/1',
    'Posthorn-Event': type,
    'Posthorn-Delivery': id,
    'Posthorn-Signature': [`t=${time}`, ...ours].join(','),
    'Content-Length': String(body.length),
    // Standard Webhooks: receivers deduplicate by this id, so it stays the same on every retry.
    'webhook-id': eventId,
    'webhook-timestamp': time,
    'webhook-signature': standard.join(' '),
  };
};

const toleranceSeconds = 300;

/** The check that docs/webhooks.md asks of receivers; `header` is Posthorn-Signature. */
export const isSigned = (header: string, body: Buffer, secret: string, now: Date) => {
  const parts = header.split(',').map((part) => part.split('='));
  const time = parts.find(([name]) => name === 't')?.[1] ?? '';
  if (!/^\d+$/.test(time) || Math.abs(now.getTime() / 1000 - Number(time)) > toleranceSeconds) return false;
  const expected = sign(signingKeysOf(secret).ours, `${time}.`, body).digest();
  return parts
    .filter(([name]) => name === 'v1')
    .map(([, hex = '']) => Buffer.from(hex, 'hex'))
    .some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected));
};

const sign = (key: KeyObject, before: string, body: Buffer) => createHmac('sha256', key).update(before).update(body);

/** The `place` of a sealed secret; see seal.ts. */
export const secretPlace = (webhookId: string) => `webhooks:${webhookId}:secret`;
export const oldSecretPlace = (webhookId: string) => `webhooks:${webhookId}:old_secret`;
