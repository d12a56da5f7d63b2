import { createHash } from 'node:crypto';
import type { Clock } from '#server/clock';
import { badInput, notFound } from '#server/errors';
import { newId } from '#server/ids';
import type { Outbound } from '#server/outbound/guarded-client';
import type { Seal } from '#server/secrets/seal';
import type { SignedIn } from '#server/signed-in';
import type { Outcome } from './outcome.ts';
import type { PushAddress, PushStore } from './store.ts';

const mostBrowsers = 10;
const answerMs = 10_000;
/** The place of the seal for our private key. */
const keyPlace = 'push_keys:one:private_key';

export interface PushMessage {
  readonly title: string;
  readonly body: string;
  /** Of the app; a click opens it. */
  readonly path: string;
  /** A later message about the same replaces this one. */
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
  /** For push services: whom to tell of trouble; an https or mailto address. */
  contact: string;
  clock: Clock;
}) => {
  /** Made once for the whole installation: browsers are subscribed to this key and to no other. */
  const keys = async () => {
    const known = await store.keys();
    if (known !== undefined) return known;
    const { generateVAPIDKeys } = (await import('web-push')).default;
    const made = generateVAPIDKeys();
    await store.insertKeys(made.publicKey, seal.seal(made.privateKey, keyPlace));
    // Of two that made one at once, the first counts.
    const kept = await store.keys();
    if (kept === undefined) throw new Error('the keys that were just made are gone');
    return kept;
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
        await store.dropOthers(userId, id, sessionId, mostBrowsers);
      });
    },

    list: async ({ userId, sessionId }: SignedIn) =>
      (await store.list(userId)).map(({ sessionId: of, ...browser }) => ({ ...browser, current: of === sessionId })),

    remove: async ({ userId }: SignedIn, id: string) => {
      if (!(await store.remove(userId, id))) throw notFound('browser', id);
    },

    /** Through the guarded client: the address came from a browser, and could be any. */
    send: async (
      { id, sealed, endpointHash }: PushAddress,
      { about, urgency, ...shown }: PushMessage,
      { leftMs, mayBegin }: { leftMs: number; mayBegin: () => boolean },
    ): Promise<Outcome> => {
      const { publicKey, privateKey } = await keys();
      const { generateRequestDetails } = (await import('web-push')).default;
      const topic = createHash('sha256').update(about).digest('base64url').slice(0, 32);
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
        timeoutMs: answerMs,
        maxBytes: 0,
        guard: { mayBegin },
      });
      if (!answer.ok) return answer.reason === 'late' ? { is: 'late' } : { is: 'failed', answer: answer.message };
      const said = `HTTP ${answer.status}`;
      if (answer.status >= 200 && answer.status < 300) return { is: 'sent', answer: said };
      if (answer.status === 404 || answer.status === 410) {
        await store.forget(id);
        return { is: 'refused', answer: said };
      }
      const mayPass = answer.status === 429 || answer.status >= 500;
      return { is: mayPass ? 'failed' : 'refused', answer: said };
    },
  };
};

const hashOf = (endpoint: string) => createHash('sha256').update(endpoint).digest();
