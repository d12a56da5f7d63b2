import type { IncomingMessage } from 'node:http';
import type { FactorQuestion } from '#contracts/passkeys';
import type { Proof } from '#contracts/receipts';
import type { Role } from '#contracts/scopes';

/** A person with a session in a browser. */
export interface SignedIn {
  readonly userId: string;
  readonly sessionId: string;
  readonly email: string;
  /** They signed in by a one-time link within the last hour and may have lost their password, so do not ask for it. */
  readonly byLink?: boolean;
  /** They signed in within the last hour. */
  readonly isRecent: boolean;
  /** How they proved who they are. */
  readonly means: readonly Proof[];
  /** The workspace that is open in this browser; absent if they are a member of none. */
  readonly workspace?: {
    readonly id: string;
    readonly name: string;
    readonly role: Role;
    /** They may publish without approval. */
    readonly canPublish: boolean;
    /** The workspace requires two factors, and this person has no second one, so they can open nothing in it. */
    readonly lacksFactor: boolean;
  };
}

/** Who this request's session belongs to. */
export type WhoIsSignedIn = (req: IncomingMessage) => Promise<SignedIn | undefined>;

/** A stolen session alone must not be enough for the weightiest changes: a way in, a factor, secrets of the installation. */
export interface ProofOfPerson {
  asks(signedIn: SignedIn): Promise<FactorQuestion>;
  mustProve(signedIn: SignedIn, proof: { password: string; code?: string }, address: string): Promise<void>;
}
