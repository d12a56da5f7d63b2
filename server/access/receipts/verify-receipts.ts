import { createPublicKey, verify } from 'node:crypto';
import type { ReceiptEntry, ReceiptKey, SignedEntry } from '#contracts/receipts';
import { sha256 } from '#server/base/sha256';
import { canonicalJson, digestOf } from './canonical-json.ts';

/** Pure, so that `posthorn verify` needs neither the database nor the service. */

export const firstPrevious = '0'.repeat(64);

export const keyIdOf = (publicKey: string) => sha256(Buffer.from(publicKey, 'base64url'), 'hex').slice(0, 32);

export const hashOf = ({ entry }: Pick<SignedEntry, 'entry'>) => sha256(canonicalJson(entry), 'hex');

/** What a passkey signs for several requests at once: a nonce and the digest of each. */
export const challengeOf = ({ nonce, numbers }: { nonce: string; numbers: readonly string[] }) =>
  digestOf({ nonce, numbers });

/** The digest of one request: the content that was shown, and the time if the person set another. */
export const confirmedNumber = ({
  cardId,
  content,
  scheduledAt,
}: {
  cardId: string | undefined;
  content: string | undefined;
  scheduledAt?: string | undefined;
}) => digestOf({ cardId, content, scheduledAt });

/** Identifies a passkey to people, in their settings and in a receipt. */
export const fingerprintOf = (publicKey: string) => sha256(Buffer.from(publicKey, 'base64url'), 'hex').slice(0, 32);

type Confirmation = NonNullable<ReceiptEntry['confirmation']>;
type Assertion = NonNullable<Confirmation['assertion']>;

/** User present and verified. */
const assertedFlags = 0b101;

/** Whether the passkey signed the challenge. */
const isAsserted = ({ challenge }: Confirmation, assertion: Assertion) => {
  try {
    const bytes = (field: keyof Assertion) => Buffer.from(assertion[field], 'base64url');
    const [clientData, data] = [bytes('clientDataJSON'), bytes('authenticatorData')];
    const { type, challenge: answered, origin } = JSON.parse(clientData.toString());
    const key = createPublicKey({ format: 'der', type: 'spki', key: bytes('publicKey') });
    const signed = Buffer.concat([data, sha256(clientData)]);
    return (
      type === 'webauthn.get' &&
      answered === Buffer.from(challenge, 'hex').toString('base64url') &&
      data.subarray(0, 32).toString('hex') === sha256(new URL(origin).hostname, 'hex') &&
      ((data[32] ?? 0) & assertedFlags) === assertedFlags &&
      verify(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', signed, key, bytes('signature'))
    );
  } catch {
    return false;
  }
};

const findFaultOfPasskey = ({ cardId, content, means = [], confirmation }: ReceiptEntry) => {
  if (confirmation === undefined && !means.includes('passkey')) return undefined;
  // Whoever has the signing key can name a passkey that was never there.
  if (confirmation?.assertion === undefined) return 'names a passkey, but has no signature of one';
  const isConfirmed =
    confirmation.challenge === challengeOf(confirmation) &&
    isAsserted(confirmation, confirmation.assertion) &&
    confirmation.numbers.includes(confirmedNumber({ cardId, content, scheduledAt: confirmation.scheduledAt }));
  return isConfirmed ? undefined : 'names a passkey that confirmed something else';
};

type PublicKey = Pick<ReceiptKey, 'publicKey'>;

const isSignedBy = ({ entry, signature }: SignedEntry, { publicKey }: PublicKey) => {
  try {
    const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: publicKey } });
    return verify(null, Buffer.from(canonicalJson(entry)), key, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
};

/** What is wrong with this entry by itself; undefined when it is intact. */
export const findFault = (signed: SignedEntry, keys: readonly PublicKey[]): string | undefined => {
  const key = keys.find(({ publicKey }) => keyIdOf(publicKey) === signed.keyId);
  const name = `Entry ${signed.entry.number}`;
  if (key === undefined) return `${name} is signed with the key ${signed.keyId}, which is not among the trusted keys.`;
  if (!isSignedBy(signed, key)) return `${name} was changed: its signature does not match what it says.`;
  const fault = findFaultOfPasskey(signed.entry);
  return fault && `${name} ${fault}.`;
};

/** The first broken link of a log that should begin with entry 1 and have no gaps. */
export const findBrokenLink = (log: readonly SignedEntry[], keys: readonly PublicKey[]): string | undefined => {
  let previous = firstPrevious;
  for (const [index, signed] of log.entries()) {
    const { number, workspaceId } = signed.entry;
    const expected = index + 1;
    if (number > expected) {
      const last = number - 1;
      return last === expected ? `Entry ${expected} is missing.` : `Entries ${expected} to ${last} are missing.`;
    }
    if (number !== expected) return `Entry ${number} stands where entry ${expected} should be.`;
    const fault = findFault(signed, keys);
    if (fault) return fault;
    if (workspaceId !== log[0]?.entry.workspaceId) return `Entry ${number} is of another workspace, ${workspaceId}.`;
    if (signed.entry.previous !== previous) {
      return index === 0
        ? 'Entry 1 names an entry before it: the beginning of the log was cut.'
        : `Entry ${number} does not follow entry ${index}: one of them was replaced.`;
    }
    previous = hashOf(signed);
  }
  return undefined;
};

/** Whether the log still has the entries of an earlier receipt. Detects a log that was cut at its end or rewritten. */
export const findLostHead = (log: readonly SignedEntry[], earlier: readonly SignedEntry[]): string | undefined => {
  for (const signed of earlier) {
    const { number, workspaceId } = signed.entry;
    if (workspaceId !== log[0]?.entry.workspaceId && log.length > 0)
      return `The earlier receipt is of another workspace, ${workspaceId}.`;
    const inLog = log[number - 1];
    if (inLog === undefined)
      return `The log ends with entry ${log.length}, but the earlier receipt has entry ${number}: the end was cut.`;
    if (hashOf(inLog) !== hashOf(signed)) return `Entry ${number} is another one than in the earlier receipt.`;
  }
  return undefined;
};
