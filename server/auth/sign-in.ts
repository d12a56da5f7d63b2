import type { IncomingMessage } from 'node:http';
import type { Role } from '#contracts/scopes';

/** A person at a browser, as the session cookie tells. */
export interface SignedIn {
  readonly userId: string;
  readonly email: string;
  /** The workspace they have open; absent for somebody who is in none. */
  readonly workspace?: { readonly id: string; readonly name: string; readonly role: Role };
}

/** Who this request's session belongs to. */
export type WhoIsSignedIn = (req: IncomingMessage) => Promise<SignedIn | undefined>;
