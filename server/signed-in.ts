import type { IncomingMessage } from 'node:http';
import type { Role } from '#contracts/scopes';

/** A person with a session in a browser. */
export interface SignedIn {
  readonly userId: string;
  readonly sessionId: string;
  readonly email: string;
  /** They signed in by a one-time link and may have lost their password, so do not ask for it. */
  readonly byLink?: boolean;
  /** The workspace that is open in this browser; absent if they are a member of none. */
  readonly workspace?: { readonly id: string; readonly name: string; readonly role: Role };
}

/** Who this request's session belongs to. */
export type WhoIsSignedIn = (req: IncomingMessage) => Promise<SignedIn | undefined>;
