import type { Clock } from '#server/base/clock';
import { badInput, notFound } from '#server/base/errors';
import { newId } from '#server/base/ids';
import type { Outbound } from '#server/base/outbound/guarded-client';
import type { Seal } from '#server/base/secrets/seal';
import { sha256 } from '#server/base/sha256';
import type { SignedIn } from '#server/base/signed-in';
import type { Outcome } from './outcome.ts';
import type { PushAddress, PushStore } from './push-store.ts';

const maxBrowsers = 10;
const timeoutMs = 10_000;
/** Binds the sealed private key to its row. */
const keyPlace = 'push_keys:one:private_key';

export interface PushMessage {
  readonly title: string;
  readonly body: string;
  /** Of the app; a click opens it. */
  readonly path: string;
  /** The browser shows only the latest message with the same `about`. */
  readonly about: string;
  readonly urgency: 'high' | 'normal';
}

interface Subscription {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

export type Push = ReturnType<typeof createPush>;

/** Web Push: the browsers of people, and messages to them through the push service that each browser named. */
export const createPush = ({
  store,
  outbound,
  seal,
  contact,
  clock,
}: {
  store: PushStore;
  outbound: Outbound;
  seal: Seal;
  /** Where push services can reach the operator: an https or mailto address. */
  contact: string;
  clock: Clock;
}) => {
  /** One pair for the whole installation, because a browser's subscription is bound to the key. */
  const keys = async () => {
    const stored = await store.keys();
    if (stored !== undefined) return stored;
    const { generateVAPIDKeys } = (await import('web-push')).default;
    const pair = generateVAPIDKeys();
    await store.insertKeys(pair.publicKey, seal.seal(pair.privateKey, keyPlace));
    // Another process may have inserted its pair first, and then that one counts.
    const winner = await store.keys();
    if (winner === undefined) throw new Error('The push keys disappeared right after they were inserted.');
    return winner;
  };

  const placeOf = (endpointHash: string) => `push_subscriptions:${endpointHash}:subscription`;

  return {
    publicKey: async () => (await keys()).publicKey,

    add: async ({ userId, sessionId }: SignedIn, subscription: Subscription) => {
      const checked = outbound.checkUrl(subscription.endpoint);
      if (!checked.ok)
        throw badInput({ path: 'endpoint', code: 'BadAddress', message: `is refused. ${checked.message}` });
      const bytes = Buffer.from(subscription.keys.p256dh, 'base64url');
      if (bytes.length !== 65 || bytes[0] !== 4 || Buffer.from(subscription.keys.auth, 'base64url').length !== 16) {
        throw badInput({ path: 'keys', code: 'BadFormat', message: 'must be the keys that the browser made' });
      }
      const hash = hashOf(subscription.endpoint);
      const sealed = seal.seal(JSON.stringify(subscription), placeOf(hash.toString('hex')));
      await store.transaction(async () => {
        await store.dropOfOthers(hash, userId);
        const id = await store.save(newId('pushBrowser', clock.now()), userId, sessionId, hash, sealed);
        await store.dropOthers(userId, id, sessionId, maxBrowsers);
      });
    },

    list: async ({ userId, sessionId }: SignedIn) =>
      (await store.list(userId)).map(({ sessionId: owner, ...browser }) => ({
        ...browser,
        current: owner === sessionId,
      })),

    remove: async ({ userId }: SignedIn, id: string) => {
      if (!(await store.remove(userId, id))) throw notFound('browser', id);
    },

    /** Through the guarded client, because the endpoint comes from a browser and could be any address. */
    send: async (
      { id, sealed, endpointHash }: PushAddress,
      { about, urgency, ...shown }: PushMessage,
      { leftMs, mayBegin }: { leftMs: number; mayBegin: () => boolean },
    ): Promise<Outcome> => {
      const { publicKey, privateKey } = await keys();
      const { generateRequestDetails } = (await import('web-push')).default;
      const topic = sha256(about, 'base64url').slice(0, 32);
      const { endpoint, headers, body } = generateRequestDetails(
        JSON.parse(seal.open(sealed, placeOf(endpointHash))) as Subscription,
        JSON.stringify({ ...shown, tag: topic }),
        {
          vapidDetails: { subject: contact, publicKey, privateKey: seal.open(privateKey, keyPlace) },
          TTL: Math.max(0, Math.floor(leftMs / 1000)),
          urgency,
          topic,
        },
      );
      const answer = await outbound.request(endpoint, {
        method: 'POST',
        headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
        ...(body !== null && { body }),
        timeoutMs,
        maxBytes: 0,
        guard: { mayBegin },
      });
      if (!answer.ok) return answer.reason === 'late' ? { is: 'late' } : { is: 'failed', answer: answer.message };
      const status = `HTTP ${answer.status}`;
      if (answer.status >= 200 && answer.status < 300) return { is: 'sent', answer: status };
      if (answer.status === 404 || answer.status === 410) {
        await store.forget(id);
        return { is: 'refused', answer: status };
      }
      const isRetryable = answer.status === 429 || answer.status >= 500;
      return { is: isRetryable ? 'failed' : 'refused', answer: status };
    },
  };
};

const hashOf = (endpoint: string) => sha256(endpoint);
