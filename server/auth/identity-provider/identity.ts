import type { Request, Response, Router } from 'express';
import type { AccessToken } from '#server/auth/mcp-access';
import type { Consent } from './interactions.ts';

/** Who vouches for MCP clients, and for people where there are no passwords: the embedded provider or an outside one. */
export interface Identity {
  readonly issuer: string;
  verifyAccessToken(token: string): Promise<AccessToken | undefined>;
  endSession(req: Request, res: Response): Promise<void>;
  forgetUser(userId: string): Promise<void>;
  /** The embedded provider's own paths. */
  readonly router?: Router;
  /** Absent: people sign in with a password. */
  readonly outsideSignIn?: OutsideSignIn;
  /** Of the embedded provider. */
  readonly consent?: Consent;
  /** Removes what has expired. */
  purge?(): Promise<unknown>;
  stop?(): void;
}

/** Signing in through an outside identity provider, where there is one. */
export interface OutsideSignIn {
  begin(next: string, code?: string): Promise<{ url: string; state: string }>;
  finish(callbackUrl: string, state: string): Promise<OutsidePerson & { next: string; code: string }>;
}

/** Somebody an outside identity provider knows. */
export interface OutsidePerson {
  readonly subject: string;
  /** Absent: the provider does not vouch for one. */
  readonly email: string | undefined;
}
