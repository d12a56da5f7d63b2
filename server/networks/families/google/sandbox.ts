import { type Response, Router } from 'express';
import { sha256 } from '#server/base/sha256';
import type { Json } from '#server/networks/network';
import type { SandboxGrant, SandboxKit } from '#server/networks/sandbox';

/** What the sandboxes of Google's networks have in common: consent, tokens, errors. */

// Google's tokens live one hour; ours live longer, so that a person can watch numbers grow.
const accessLifeSeconds = 7_200;

interface GoogleError {
  readonly code: number;
  readonly status: string;
  readonly message: string;
  /** Only the older APIs have it. */
  readonly reason?: string;
  readonly details?: readonly Readonly<Record<string, Json>>[];
}

export const refuse = (res: Response, { code, status, message, reason, details }: GoogleError): void => {
  const errors = reason === undefined ? undefined : [{ message, domain: 'global', reason }];
  res.status(code).send({ error: { code, message, ...(errors && { errors }), status, ...(details && { details }) } });
};

/** Serves the consent page under `/accounts` and the token calls under `/oauth`. */
export const googleSignIn = (
  kit: SandboxKit,
  scopes: readonly string[],
  states: Readonly<Record<string, string>> = {},
): Router => {
  const router = Router();
  const wrong = (res: Response, status: number, error: string, description: string) =>
    res.status(status).send({ error, error_description: description });

  router.all(
    '/accounts/o/oauth2/v2/auth',
    kit.consent({
      check: (query) => {
        if (query.response_type !== 'code') return 'response_type must be code';
        if (query.client_id !== 'sandbox') return 'The OAuth client was not found.';
        if (!query.redirect_uri) return 'Missing required parameter: redirect_uri';
        if (!query.scope) return 'Missing required parameter: scope';
        if (query.scope.split(' ').some((scope) => !scopes.includes(scope)))
          return 'Some requested scopes were invalid.';
        if (query.code_challenge && query.code_challenge_method !== 'S256') return 'code_challenge_method must be S256';
        return undefined;
      },
      scopesOf: (query) => (query.scope ?? '').split(' '),
      states,
    }),
  );

  const answer = async (res: Response, { person, scopes }: SandboxGrant, refreshToken?: string) => {
    const lifeMs = accessLifeSeconds * 1000;
    res.send({
      access_token: await kit.grants.issue('access', { person, scopes, lifeMs }),
      expires_in: accessLifeSeconds,
      ...(refreshToken !== undefined && { refresh_token: refreshToken }),
      scope: scopes.join(' '),
      token_type: 'Bearer',
    });
  };

  router.post('/oauth/token', async (req, res) => {
    const form = (req.body ?? {}) as Record<string, string | undefined>;
    if (form.client_id !== 'sandbox' || form.client_secret !== 'sandbox') {
      return wrong(res, 401, 'invalid_client', 'The OAuth client was not found.');
    }
    if (form.grant_type === 'refresh_token') {
      const grant = await kit.grants.find('refresh', form.refresh_token ?? '');
      if (grant === undefined) return wrong(res, 400, 'invalid_grant', 'Token has been expired or revoked.');
      return answer(res, grant);
    }
    if (form.grant_type !== 'authorization_code') {
      return wrong(res, 400, 'unsupported_grant_type', 'Invalid grant_type');
    }
    const grant = await kit.grants.take('code', form.code ?? '');
    if (grant === undefined || grant.expired) return wrong(res, 400, 'invalid_grant', 'Malformed auth code.');
    const grantData = grant.data as Record<string, string | undefined>;
    if (grantData.redirect_uri !== form.redirect_uri) return wrong(res, 400, 'redirect_uri_mismatch', 'Bad Request');
    if (grantData.code_challenge !== undefined && grantData.code_challenge !== challengeOf(form.code_verifier)) {
      return wrong(res, 400, 'invalid_grant', 'Invalid code verifier.');
    }
    const { person, scopes } = grant;
    const isOffline = grantData.access_type === 'offline' && grantData.prompt === 'consent';
    return answer(res, grant, isOffline ? await kit.grants.issue('refresh', { person, scopes }) : undefined);
  });

  router.post('/oauth/revoke', async (req, res) => {
    const { token = '' } = { ...req.query, ...(req.body as object) } as { token?: string };
    const grant = (await kit.grants.find('access', token)) ?? (await kit.grants.find('refresh', token));
    if (grant === undefined) return wrong(res, 400, 'invalid_token', 'Token expired or revoked');
    await kit.grants.revokeAll(grant.person);
    res.send({});
  });

  return router;
};

const challengeOf = (verifier = '') => sha256(verifier, 'base64url');
