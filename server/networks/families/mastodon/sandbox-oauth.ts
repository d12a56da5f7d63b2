import { randomBytes } from 'node:crypto';
import type { Request, RequestHandler, Response, Router } from 'express';
import { sha256 } from '#server/base/sha256';
import type { Refusals, SandboxGrant, SandboxKit } from '#server/networks/sandbox';

export interface OAuthDialect {
  readonly scopes: readonly string[];
  readonly refusals: Refusals;
  readonly invalid: (res: Response, field: string, words: string) => void;
  /** Whether this network has a call that revokes tokens. */
  readonly revokes: boolean;
  readonly tokens: (grant: SandboxGrant, clientId: string) => Promise<object>;
  /** Fields of a registered app that only this network has. */
  readonly appFields: (app: Omit<App, 'secret'>) => object;
}

type App = { readonly secret: string; readonly redirectUris: readonly string[]; readonly scopes: readonly string[] };

/** App registration and access tokens. Returns a guard for the calls that need access. */
export const createOAuth = (kit: SandboxKit, server: Router, own: OAuthDialect) => {
  server.post('/api/v1/apps', async (req, res) => {
    const body = (req.body ?? {}) as Record<string, string | string[]>;
    const { client_name, redirect_uris, scopes = 'read', website = null } = body;
    if (!client_name) return own.invalid(res, 'client_name', "Application name can't be blank");
    if (!redirect_uris?.length) return own.invalid(res, 'redirect_uris', "Redirect URI can't be blank");
    const requestedScopes = String(scopes).split(' ');
    if (!requestedScopes.every((scope) => own.scopes.includes(scope))) {
      return own.invalid(res, 'scopes', "Scopes doesn't match configured on the server.");
    }
    const id = kit.newId();
    const secret = randomBytes(32).toString('base64url');
    const redirectUris = Array.isArray(redirect_uris) ? redirect_uris : redirect_uris.split('\n');
    await kit.records.put('app', id, { secret, redirectUris, scopes: requestedScopes } satisfies App);
    res.send({
      id,
      name: client_name,
      website,
      // Some clients build the address of the consent page with it.
      redirect_uri: redirectUris.join('\n'),
      client_id: id,
      client_secret: secret,
      ...own.appFields({ scopes: requestedScopes, redirectUris }),
    });
  });

  const appOf = (id: unknown) => kit.records.get<App>('app', typeof id === 'string' ? id : '');

  const wrongToAuthorize = async ({ client_id, redirect_uri, ...query }: Record<string, unknown>) => {
    const app = await appOf(client_id);
    if (!app) return 'Client authentication failed due to unknown client.';
    if (!app.redirectUris.includes(String(redirect_uri))) return 'The redirect uri included is not valid.';
    if (query.response_type !== 'code') return 'The authorization server does not support this response type.';
    if (query.code_challenge !== undefined && query.code_challenge_method !== 'S256') {
      return 'The code_challenge_method must be S256.';
    }
    const isKnown = (scope: string) => own.scopes.includes(scope) && app.scopes.includes(scope);
    return scopesOf(query.scope).every(isKnown) ? undefined : 'The requested scope is invalid, unknown, or malformed.';
  };

  server.all(
    '/oauth/authorize',
    async (req, res, next) => {
      const wrong = await wrongToAuthorize(req.query);
      if (wrong === undefined) next();
      else res.status(400).type('html').send(`<!doctype html><title>Error</title><p>${wrong}</p>`);
    },
    kit.consent({ check: () => undefined, scopesOf: ({ scope }) => scopesOf(scope) }),
  );

  const grantRefused = (res: Response) =>
    res.status(400).send({
      error: 'invalid_grant',
      error_description:
        'The provided authorization grant is invalid, expired, revoked, or was issued to another client.',
    });

  const clientRefused = (res: Response) =>
    res.status(401).send({
      error: 'invalid_client',
      error_description: 'Client authentication failed due to unknown client or no client authentication included.',
    });

  server.post('/oauth/token', async (req, res) => {
    const form = (req.body ?? {}) as Record<string, string>;
    const { client_id = '', grant_type: type } = form;
    const app = await appOf(client_id);
    if (app === undefined || app.secret !== form.client_secret) return clientRefused(res);
    if (type === 'refresh_token') {
      const grant = await kit.grants.take('refresh', form.refresh_token ?? '');
      const { client, access } = (grant?.data ?? {}) as Record<string, string>;
      if (grant === undefined || grant.expired || client !== client_id) return grantRefused(res);
      await kit.grants.take('access', access ?? '');
      return res.send(await own.tokens(grant, client_id));
    }
    if (type !== 'authorization_code') return res.status(400).send({ error: 'unsupported_grant_type' });
    const grant = await kit.grants.take('code', form.code ?? '');
    const grantData = (grant?.data ?? {}) as Record<string, string>;
    const isTheirs = grantData.client_id === client_id && grantData.redirect_uri === form.redirect_uri;
    if (grant === undefined || grant.expired || !isTheirs || !verifies(grantData.code_challenge, form.code_verifier)) {
      return grantRefused(res);
    }
    res.send(await own.tokens(grant, client_id));
  });

  if (own.revokes) {
    server.post('/oauth/revoke', async (req, res) => {
      const { client_id, client_secret, token = '' } = (req.body ?? {}) as Record<string, string>;
      const app = await appOf(client_id);
      if (app === undefined || app.secret !== client_secret) {
        return res.status(403).send({
          error: 'unauthorized_client',
          error_description: 'You are not authorized to revoke this token',
        });
      }
      await kit.grants.take('access', token);
      res.send({});
    });
  }

  /** The grant behind the bearer token, if it has the scope or the larger one that holds it. */
  return (
    scope: string,
    work: (req: Request, res: Response, grant: SandboxGrant) => Promise<unknown>,
  ): RequestHandler =>
    async (req, res) => {
      const secret = /^Bearer (.+)$/.exec(req.headers.authorization ?? '')?.[1] ?? '';
      const grant = await kit.grants.find('access', secret);
      if (grant === undefined || grant.expired) return own.refusals['refused-token'](res);
      const suffices = grant.scopes.includes(scope) || grant.scopes.includes(scope.replace(/:.*/, ''));
      if (!suffices) return own.refusals['missing-permission'](res);
      await work(req, res, grant);
    };
};

const scopesOf = (scope: unknown): string[] => (typeof scope === 'string' && scope !== '' ? scope : 'read').split(' ');

const verifies = (challenge: string | undefined, verifier = ''): boolean =>
  challenge === undefined || sha256(verifier, 'base64url') === challenge;
