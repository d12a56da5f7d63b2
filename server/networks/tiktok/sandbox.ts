import { type Response, Router } from 'express';
import { dayMs } from '#contracts/time';
import type { Sandbox, SandboxKit, SandboxPerson } from '#server/networks/sandbox';
import {
  createSignedIn,
  fieldsOf,
  isPrivate,
  ok,
  privacyOptions,
  refusals,
  refuse,
  type SignedIn,
} from './sandbox-access.ts';
import { mountPhotos } from './sandbox-photos.ts';
import { mountReads } from './sandbox-reads.ts';
import { mountVideos } from './sandbox-videos.ts';

/**
 * TikTok's API v2 as its reference describes it: login, Direct Post of videos (uploaded in chunks) and photos (fetched by
 * address), drafts of both in the inbox of the account, the status of a post, and the list of public videos. Somebody whose
 * handle begins with `private` has a private account.
 */
const sandbox: Sandbox = (kit) => {
  const router = Router();
  const api = Router();
  const signedIn = createSignedIn(kit);
  router.use('/api', api);
  mountConsent(router, kit);
  mountTokens(api, kit);
  mountCreator(api, signedIn);
  mountVideos(api, kit, signedIn);
  mountPhotos(api, kit, signedIn);
  mountReads(api, kit, signedIn);
  return router;
};

export default sandbox;

const mountConsent = (router: Router, kit: SandboxKit) => {
  router.all(
    '/web/v2/auth/authorize',
    kit.consent({
      check: (query) => {
        if (query.client_key !== 'sandbox') return 'client_key is not known';
        if (query.response_type !== 'code') return 'response_type must be code';
        if (!query.redirect_uri) return 'redirect_uri is missing';
        if (!query.state) return 'state is missing';
        if (!query.scope) return 'scope is missing';
        return undefined;
      },
      scopesOf: (query) => (query.scope ?? '').split(','),
      states: {
        private: 'Has a private account (at the beginning of the handle)',
        unaudited: 'Posts through an app that TikTok has not reviewed: only private ones are taken',
        unverified: 'Posts photos from an address that the operator has not verified',
        nocomments: 'Has comments switched off',
        oldapp: 'Has an app that is too old for drafts of photos',
        fivedrafts: 'Has five drafts that were not finished, so that no more are taken today',
      },
    }),
  );
};

const openId = ({ id }: SandboxPerson) => `-000${id}`;

// The reference gives no HTTP status for these errors. The sandbox sends 200, the easiest one to overlook.
const grantRefused = (res: Response, error: string, description: string) =>
  res.status(200).send({ error, error_description: description, log_id: 'sandbox' });

const mountTokens = (api: Router, kit: SandboxKit) => {
  api.post('/v2/oauth/token', async (req, res) => {
    const form = (req.body ?? {}) as Record<string, string>;
    if (!req.is('application/x-www-form-urlencoded'))
      return grantRefused(res, 'invalid_request', 'Content-Type must be application/x-www-form-urlencoded.');
    if (form.client_key !== 'sandbox' || form.client_secret !== 'sandbox')
      return grantRefused(res, 'invalid_client', 'Client key or secret is incorrect.');
    if (form.grant_type === 'client_credentials')
      return res.send({ access_token: 'clt.sandbox', expires_in: 7200, token_type: 'Bearer' });
    if (form.grant_type !== 'authorization_code' && form.grant_type !== 'refresh_token')
      return grantRefused(res, 'unsupported_grant_type', 'Grant type is not supported.');
    const isCode = form.grant_type === 'authorization_code';
    const grant = isCode
      ? await kit.grants.take('code', form.code ?? '')
      : await kit.grants.take('refresh', form.refresh_token ?? '');
    if (grant === undefined || grant.expired)
      return grantRefused(
        res,
        'invalid_grant',
        isCode ? 'Authorization code is expired.' : 'Refresh token is invalid.',
      );
    const grantData = (grant.data ?? {}) as Record<string, string>;
    if (isCode && grantData.redirect_uri !== form.redirect_uri)
      return grantRefused(res, 'invalid_request', 'Redirect_uri is not matched with the uri when requesting code.');
    const { person, scopes } = grant;
    res.send({
      open_id: openId(person),
      scope: scopes.join(','),
      access_token: await kit.grants.issue('access', { person, scopes, lifeMs: dayMs }),
      expires_in: 86_400,
      refresh_token: await kit.grants.issue('refresh', { person, scopes, lifeMs: 365 * dayMs }),
      refresh_expires_in: 31_536_000,
      token_type: 'Bearer',
    });
  });

  api.post('/v2/oauth/revoke', async (req, res) => {
    const form = (req.body ?? {}) as Record<string, string>;
    if (form.client_key !== 'sandbox' || form.client_secret !== 'sandbox')
      return grantRefused(res, 'invalid_client', 'Client key or secret is incorrect.');
    const grant = await kit.grants.take('access', form.token ?? '');
    if (grant === undefined) return grantRefused(res, 'invalid_request', 'The token is invalid.');
    await kit.grants.revokeAll(grant.person);
    res.send();
  });
};

const mountCreator = (api: Router, signedIn: SignedIn) => {
  api.get(
    '/v2/user/info',
    signedIn('user.info.basic', async (req, res, { person }) => {
      const user: Record<string, string> = {
        open_id: openId(person),
        union_id: `union-${person.id}`,
        avatar_url: person.avatarUrl,
        display_name: person.name,
      };
      const fields = fieldsOf(req);
      if (fields.includes('username')) return refusals['missing-permission'](res);
      const unknown = fields.find((field) => !(field in user));
      if (unknown !== undefined) return refuse(res, 400, 'invalid_params', `Unknown field: ${unknown || 'none given'}`);
      res.send({ data: { user: Object.fromEntries(fields.map((field) => [field, user[field]])) }, error: ok });
    }),
  );

  api.post(
    '/v2/post/publish/creator_info/query',
    signedIn('video.publish', async (_req, res, { person }) => {
      res.send({
        data: {
          creator_avatar_url: person.avatarUrl,
          creator_username: person.handle,
          creator_nickname: person.name,
          privacy_level_options: privacyOptions(person),
          comment_disabled: person.handle.includes('nocomments'),
          duet_disabled: isPrivate(person),
          stitch_disabled: isPrivate(person),
          max_video_post_duration_sec: 600,
        },
        error: ok,
      });
    }),
  );
};
