import type { Request, Response } from 'express';
import type { PersonalTokens, TokenCaller } from '#server/auth/personal-tokens';
import { keyOfAddress, type RateLimit } from '#server/auth/rate-limit';
import { Refusal } from '#server/errors';

export type Authenticate = (req: Request, res: Response) => Promise<TokenCaller>;

/** SPEC, Personal API tokens: missing, wrong or revoked is 401. Counts the request, by token or else by address. */
export const createAuthenticate =
  ({ tokens, rateLimit }: { tokens: PersonalTokens; rateLimit: RateLimit }): Authenticate =>
  async (req, res) => {
    const bearer = /^Bearer (\S+)$/i.exec(req.headers.authorization ?? '')?.[1];
    const found = bearer === undefined ? undefined : await tokens.check(bearer);
    rateLimit.take(found?.tokenId ?? keyOfAddress(req.ip), res);
    if (found === undefined) {
      res.setHeader('www-authenticate', 'Bearer realm="Posthorn"');
      throw new Refusal(
        'Unauthorized',
        bearer === undefined
          ? 'Send a personal token: Authorization: Bearer posthorn_pat_…'
          : 'This token is wrong or revoked. Make a new one.',
      );
    }
    return found;
  };
