import { createHash } from 'node:crypto';
import { type Response, Router } from 'express';
import type { Sandbox, SandboxGrant, SandboxKit } from '#server/networks/sandbox';
import { type Access, createAccess, problem, states, writesLong } from './sandbox-access.ts';
import { mountMedia } from './sandbox-media.ts';
import { mountPosts } from './sandbox-posts.ts';

/** X's API v2 as its reference describes it: OAuth 2 with PKCE, uploads in one call or in chunks, posts, timelines. */
const sandbox: Sandbox = (kit) => {
  const router = Router();
  const api = Router();
  const access = createAccess(kit);
  router.use('/api', api);
  mountConsent(router, kit);
  mountTokens(api, kit);
  mountUsers(api, kit, access);
  mountMedia(api, kit, access);
  mountPosts(api, kit, access);
  return router;
};

export default sandbox;

const mountConsent = (router: Router, kit: SandboxKit) => {
  router.all(
    '/web/i/oauth2/authorize',
    kit.consent({
      check: (query) => {
        if (query.response_type !== 'code') return 'response_type must be code';
        if (query.client_id !== 'sandbox') return 'client_id is not known';
        if (!query.redirect_uri) return 'redirect_uri is missing';
        if (!query.state || query.state.length > 500) return 'state must have 1 to 500 characters';
        // twitter-api-v2 sends the name of the method in lower case.
        if (query.code_challenge_method?.toUpperCase() !== 'S256' || !query.code_challenge)
          return 'PKCE with S256 is needed';
        return undefined;
      },
      scopesOf: (query) => (query.scope ?? '').split(' '),
      codeLifeMs: 30_000,
      states,
    }),
  );
};

const accessLifeMs = 2 * 3_600_000;
const basic = `Basic ${Buffer.from('sandbox:sandbox').toString('base64')}`;

const grantRefused = (res: Response, description: string) =>
  res.status(400).send({ error: 'invalid_request', error_description: description });

const clientRefused = (res: Response) =>
  res.status(401).send({ error: 'unauthorized_client', error_description: 'Missing valid authorization header' });

const mountTokens = (api: Router, kit: SandboxKit) => {
  const tokens = async (res: Response, { person, scopes }: SandboxGrant) => {
    const access = await kit.grants.issue('access', { person, scopes, lifeMs: accessLifeMs });
    const offline = scopes.includes('offline.access');
    const refresh = offline ? await kit.grants.issue('refresh', { person, scopes }) : undefined;
    res.send({
      token_type: 'bearer',
      expires_in: 7200,
      access_token: access,
      scope: scopes.join(' '),
      refresh_token: refresh,
    });
  };

  api.post('/2/oauth2/revoke', async (req, res) => {
    if (req.headers.authorization !== basic) return clientRefused(res);
    const { token = '' } = (req.body ?? {}) as Record<string, string>;
    const ended = [await kit.grants.take('access', token), await kit.grants.take('refresh', token)];
    if (ended.every((grant) => grant === undefined))
      return grantRefused(res, 'Value passed for the token was invalid.');
    res.send({ revoked: true });
  });

  api.post('/2/oauth2/token', async (req, res) => {
    if (req.headers.authorization !== basic) return clientRefused(res);
    const form = (req.body ?? {}) as Record<string, string>;
    if (form.grant_type === 'refresh_token') {
      const grant = await kit.grants.take('refresh', form.refresh_token ?? '');
      if (grant === undefined) return grantRefused(res, 'Value passed for the token was invalid.');
      return tokens(res, grant);
    }
    const grant = await kit.grants.take('code', form.code ?? '');
    const asked = (grant?.data ?? {}) as Record<string, string>;
    const challenge = createHash('sha256')
      .update(form.code_verifier ?? '')
      .digest('base64url');
    if (grant === undefined || grant.expired)
      return grantRefused(res, 'Value passed for the authorization code was invalid.');
    if (asked.redirect_uri !== form.redirect_uri)
      return grantRefused(res, 'Value passed for the redirect uri did not match.');
    if (asked.code_challenge !== challenge)
      return grantRefused(res, 'Value passed for the code verifier did not match.');
    return tokens(res, grant);
  });
};

const mountUsers = (api: Router, kit: SandboxKit, { signedIn }: Access) => {
  api.get(
    '/2/users/me',
    signedIn('users.read', async (req, res, { person }) => {
      const asked = String(req.query['user.fields']).split(',');
      const more = {
        subscription_type: writesLong(person) ? 'Premium' : 'None',
        profile_image_url: person.avatarUrl,
      };
      const chosen = Object.entries(more).filter(([field]) => asked.includes(field));
      const { id, name, handle: username } = person;
      res.send({ data: { id, name, username, ...Object.fromEntries(chosen) } });
    }),
  );

  api.get(
    '/2/users/by',
    signedIn('users.read', async (req, res) => {
      const names = String(req.query.usernames ?? '').split(',');
      if (names.length > 100) return problem(res, 400, 'Invalid Request', 'usernames: at most 100');
      const people = await Promise.all(
        names.filter((name) => !name.includes('nobody')).map((name) => kit.people.signIn(name)),
      );
      res.send({
        ...(people.length > 0 && { data: people.map(({ id, name, handle }) => ({ id, name, username: handle })) }),
      });
    }),
  );
};
