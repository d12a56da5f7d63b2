import { type Request, type Response, Router } from 'express';
import { sha256 } from '#server/base/sha256';
import type { Sandbox, SandboxGrant, SandboxKit } from '#server/networks/sandbox';
import { type Access, createAccess, problem, refuseParameter, states, writesLong } from './sandbox-access.ts';
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
  mountCommunities(api, access);
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
    const grantData = (grant?.data ?? {}) as Record<string, string>;
    const challenge = sha256(form.code_verifier ?? '', 'base64url');
    if (grant === undefined || grant.expired)
      return grantRefused(res, 'Value passed for the authorization code was invalid.');
    if (grantData.redirect_uri !== form.redirect_uri)
      return grantRefused(res, 'Value passed for the redirect uri did not match.');
    if (grantData.code_challenge !== challenge)
      return grantRefused(res, 'Value passed for the code verifier did not match.');
    return tokens(res, grant);
  });
};

const communities = [
  { id: '1471580197908586507', name: 'Home Bakers', member_count: 4_210, description: 'Bread, cake and patience' },
  { id: '1506778548222324745', name: 'Sourdough Science', member_count: 812, description: 'Starters and crumbs' },
  { id: '1493446837214187523', name: 'Build in Public', member_count: 180_356, description: 'Show what you make' },
  {
    id: '1699807431709041070',
    name: 'Software Engineering',
    member_count: 153_007,
    description: 'For people who ship',
  },
].map((one) => ({ ...one, access: 'Public', join_policy: 'Open', created_at: '2026-01-05T10:00:00.000Z' }));

const mountCommunities = (api: Router, { signedIn }: Access) => {
  const view = (req: Request, community: (typeof communities)[number]) => {
    const fields = ['id', 'name', ...String(req.query['community.fields'] ?? '').split(',')];
    return Object.fromEntries(Object.entries(community).filter(([field]) => fields.includes(field)));
  };

  api.get(
    '/2/communities/search',
    signedIn('tweet.read', async (req, res, { scopes }) => {
      if (!scopes.includes('users.read')) return problem(res, 403, 'Forbidden', 'Forbidden');
      const words = String(req.query.query ?? '').toLowerCase();
      const most = Number(req.query.max_results ?? 10);
      if (words === '' || words.length > 4_096) return refuseParameter(res, 'query');
      if (!(most >= 10 && most <= 100)) return refuseParameter(res, 'max_results');
      const data = communities
        .filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(words))
        .slice(0, most)
        .map((one) => view(req, one));
      res.send({ ...(data.length > 0 && { data }), meta: {} });
    }),
  );

  api.get(
    '/2/communities/:id',
    signedIn('list.read', async (req, res) => {
      const match = communities.find(({ id }) => id === req.params.id);
      if (match === undefined) return problem(res, 404, 'Not Found Error', 'Could not find community with this id.');
      res.send({ data: view(req, match) });
    }),
  );
};

const mountUsers = (api: Router, kit: SandboxKit, { signedIn }: Access) => {
  api.get(
    '/2/users/me',
    signedIn('users.read', async (req, res, { person }) => {
      const fields = String(req.query['user.fields']).split(',');
      const more = {
        subscription_type: writesLong(person) ? 'Premium' : 'None',
        profile_image_url: person.avatarUrl,
      };
      const chosen = Object.entries(more).filter(([field]) => fields.includes(field));
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
