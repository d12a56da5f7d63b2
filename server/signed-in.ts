import type { IncomingMessage } from 'node:http';
import type { Role } from '#contracts/scopes';

/** A person at a browser, as the session cookie tells. */
export interface SignedIn {
  readonly userId: string;
  readonly sessionId: string;
  readonly email: string;
  /** They came by a one-time link, so nobody asks for a password they may have lost. */
  readonly byLink?: boolean;
  /** The workspace that is open in this browser; absent for somebody who is in none. */
  readonly workspace?: { readonly id: string; readonly name: string; readonly role: Role };
}

/** Who this request's session belongs to. */
export type WhoIsSignedIn = (req: IncomingMessage) => Promise<SignedIn | undefined>;
