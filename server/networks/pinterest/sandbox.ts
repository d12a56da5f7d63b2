import { Router } from 'express';
import { dayMs } from '#contracts/time';
import type { Sandbox, SandboxKit } from '#server/networks/sandbox';
import { createSignedIn, invalid, notAuthenticated, refuse, type SignedIn } from './sandbox-access.ts';
import { mountBoards } from './sandbox-boards.ts';
import { mountMedia } from './sandbox-media.ts';
import { mountAnalytics, mountPins } from './sandbox-pins.ts';

/**
 * Pinterest's API v5 as its description says: OAuth, boards with a section, videos that are registered, stored and
 * processed, pins, and their analytics. Everybody has the boards Recipes and Travel.
 */
const sandbox: Sandbox = (kit) => {
  const router = Router();
  const api = Router();
  const signedIn = createSignedIn(kit);
  router.use(['/api', '/trial'], api);
  mountConsent(router, kit);
  mountTokens(api, kit);
  mountUser(api, signedIn);
  mountBoards(api, signedIn);
  mountMedia(api, kit, signedIn);
  mountPins(api, kit, signedIn);
  mountAnalytics(api, kit, signedIn);
  return router;
};

export default sandbox;

const mountConsent = (router: Router, kit: SandboxKit) => {
  router.all(
    '/web/oauth',
    kit.consent({
      check: (query) => {
        if (query.client_id !== 'sandbox') return 'client_id is not known';
        if (query.response_type !== 'code') return 'response_type must be code';
        if (!query.redirect_uri) return 'redirect_uri is missing';
        if (!query.scope) return 'scope is missing';
        return undefined;
      },
      scopesOf: (query) => (query.scope ?? '').split(','),
      states: { trial: 'Posts through an app with Trial access: only the trial host takes pins' },
    }),
  );
};

const mountTokens = (api: Router, kit: SandboxKit) => {
  api.post('/v5/oauth/token', async (req, res) => {
    const basic = `Basic ${Buffer.from('sandbox:sandbox').toString('base64')}`;
    if (req.headers.authorization !== basic) return notAuthenticated(res);
    const form = (req.body ?? {}) as Record<string, string>;
    if (form.grant_type !== 'authorization_code' && form.grant_type !== 'refresh_token')
      return invalid(res, "'grant_type' is not one of ['authorization_code', 'refresh_token']");
    const isCode = form.grant_type === 'authorization_code';
    const grant = isCode
      ? await kit.grants.take('code', form.code ?? '')
      : await kit.grants.take('refresh', form.refresh_token ?? '');
    if (grant === undefined || grant.expired) return refuse(res, 400, 283, 'The grant is invalid or has expired.');
    const grantData = (grant.data ?? {}) as Record<string, string>;
    if (isCode && grantData.redirect_uri !== form.redirect_uri)
      return refuse(res, 400, 283, 'The redirect_uri is not the one of the authorization.');
    const { person, scopes } = grant;
    res.send({
      response_type: form.grant_type,
      access_token: await kit.grants.issue('access', { person, scopes, lifeMs: 30 * dayMs }),
      token_type: 'bearer',
      expires_in: 2_592_000,
      refresh_token: await kit.grants.issue('refresh', { person, scopes, lifeMs: 60 * dayMs }),
      refresh_token_expires_in: 5_184_000,
      refresh_token_expires_at: Math.floor(kit.now().getTime() / 1000) + 5_184_000,
      scope: scopes.join(' '),
    });
  });
};

const mountUser = (api: Router, signedIn: SignedIn) => {
  api.get(
    '/v5/user_account',
    signedIn(['user_accounts:read'], async (_req, res, { person }) => {
      res.send({
        account_type: 'BUSINESS',
        id: person.id,
        username: person.handle,
        business_name: person.name,
        profile_image: person.avatarUrl,
        website_url: '',
      });
    }),
  );
};
