import { randomBytes } from 'node:crypto';
import type { ReceiptEntry } from '#contracts/receipts';
import { canonicalJson } from '#server/access/receipts/canonical-json';
import { challengeOf, confirmedNumber } from '#server/access/receipts/verify-receipts';
import type { Clock } from '#server/base/clock';
import type { Caller } from '#server/base/context';
import { Refusal } from '#server/base/errors';
import { newId } from '#server/base/ids';
import { sha256 } from '#server/base/sha256';
import type { ConfirmationStore, ConfirmedCard } from './confirmation-store.ts';

/** One assertion covers a batch of requests, which are approved one after the other, so it stays valid for an hour. */
const lifetimeMs = 60 * 60_000;

/** Passkeys of the person who decides. */
export interface Passkeys {
  beginProof(userId: string, confirmation: { id: string; challenge: Buffer }): Promise<object>;
  mustProve(
    userId: string,
    response: unknown,
    confirmation: { id: string; challenge: Buffer; isRepeated: boolean },
  ): Promise<Pick<NonNullable<ReceiptEntry['confirmation']>, 'passkeyId' | 'assertion'>>;
}

/** What the browser sends with an approval. */
export interface Assertion {
  readonly id: string;
  readonly response: unknown;
}

export type Confirmations = ReturnType<typeof createConfirmations>;

/**
 * Approval with a passkey. The challenge covers the content of all requests in the batch, so the signature cannot be
 * used for anything else.
 */
export const createConfirmations = ({
  store,
  passkeys,
  asksPasskey,
  clock,
}: {
  store: ConfirmationStore;
  passkeys: Passkeys;
  /** Whether the workspace requires a passkey to approve. */
  asksPasskey: (workspaceId: string) => Promise<boolean>;
  clock: Clock;
}) => {
  const bytesOf = (nonce: string, cards: readonly ConfirmedCard[]) => {
    const numbers = cards.map(numberOf);
    const challenge = challengeOf({ nonce, numbers });
    return { numbers, challenge, bytes: Buffer.from(challenge, 'hex') };
  };

  const find = async ({ workspaceId, userId }: Caller, id: string) => {
    const after = new Date(clock.now().getTime() - lifetimeMs);
    const row = await store.lockConfirmation(workspaceId, id, userId, after);
    if (row === undefined) throw confirmAgain('This confirmation is not yours, or too old. Confirm again.');
    return row;
  };

  return {
    begin: async ({ workspaceId, userId }: Caller, cards: readonly ConfirmedCard[]) => {
      const nonce = randomBytes(32).toString('base64url');
      const now = clock.now();
      const id = newId('confirmation', now);
      const options = await passkeys.beginProof(userId, { id, challenge: bytesOf(nonce, cards).bytes });
      await store.insertConfirmation({ workspaceId, id, userId, nonce, cards, createdAt: now });
      return { id, options: { ...options } };
    },

    /** The edit that was stored when the confirmation began, because it is the one that the passkey confirms. */
    editIn: async (caller: Caller, cardId: string, { id }: Assertion) =>
      store.transaction(async () => cardIn((await find(caller, id)).cards, cardId).edit),

    /** Throws when a passkey is missing or signed something else. */
    mustConfirm: async (
      caller: Caller,
      cardId: string,
      content: Buffer,
      assertion: Assertion | undefined,
    ): Promise<ReceiptEntry['confirmation']> => {
      const { workspaceId, userId } = caller;
      if (assertion === undefined) {
        if (!(await asksPasskey(workspaceId))) return undefined;
        throw confirmAgain('This workspace asks for a passkey to approve. Confirm it with yours.', 'PasskeyRequired');
      }
      const { nonce, cards, assertion: accepted } = await find(caller, assertion.id);
      const card = cardIn(cards, cardId);
      if (card.content !== content.toString('hex')) {
        throw confirmAgain('What would go out has changed since you confirmed it. Look at it, and confirm again.');
      }
      const digest = sha256(canonicalJson(assertion.response));
      const { numbers, challenge, bytes } = bytesOf(nonce, cards);
      const isRepeated = accepted?.equals(digest) === true;
      const confirmation = { id: assertion.id, challenge: bytes, isRepeated };
      const proof = await passkeys.mustProve(userId, assertion.response, confirmation);
      if (!isRepeated) await store.acceptAssertion(workspaceId, assertion.id, digest);
      const { scheduledAt } = card.edit ?? {};
      return { challenge, nonce, numbers, ...(scheduledAt && { scheduledAt }), ...proof };
    },

    purge: () => store.purgeConfirmations(new Date(clock.now().getTime() - lifetimeMs)),
  };
};

const numberOf = ({ id: cardId, content, edit }: ConfirmedCard) =>
  confirmedNumber({ cardId, content, scheduledAt: edit?.scheduledAt });

const cardIn = (cards: readonly ConfirmedCard[], id: string) => {
  const card = cards.find((one) => one.id === id);
  if (card === undefined) throw confirmAgain('This request was not among those that you confirmed. Confirm it too.');
  return card;
};

const confirmAgain = (message: string, code: 'ConfirmAgain' | 'PasskeyRequired' = 'ConfirmAgain') =>
  new Refusal('Forbidden', message, [{ path: 'confirmation', code, message }]);
