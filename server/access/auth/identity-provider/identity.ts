import type { Request, Response, Router } from 'express';
import type { AccessToken } from '#server/access/auth/mcp-access';
import type { Consent } from './interactions.ts';

/**
 * The identity provider, embedded or outside: issues tokens to MCP clients, and may sign people in instead of
 * passwords.
 */
export interface Identity {
  readonly issuer: string;
  verifyAccessToken(token: string): Promise<AccessToken | undefined>;
  endSession(req: Request, res: Response): Promise<void>;
  forgetUser(userId: string): Promise<void>;
  /** The embedded provider's own paths. */
  readonly router?: Router;
  /** Absent: people sign in with a password. */
  readonly outsideSignIn?: OutsideSignIn;
  /** Only of the embedded provider; an outside one has its own consent page. */
  readonly consent?: Consent;
  /** Deletes expired records. */
  purge?(): Promise<unknown>;
  stop?(): void;
}

/** Sign-in at an outside identity provider. */
export interface OutsideSignIn {
  begin(next: string, code?: string): Promise<{ url: string; state: string }>;
  finish(callbackUrl: string, state: string): Promise<OutsidePerson & { next: string; code: string }>;
}

/** A person as an outside identity provider identifies them. */
export interface OutsidePerson {
  readonly subject: string;
  /** Absent: the provider has not verified an address. */
  readonly email: string | undefined;
}
