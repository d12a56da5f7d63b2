import { createLinkedinSandbox } from '#server/networks/families/linkedin/sandbox';
import { addSandboxPosts } from '#server/networks/families/linkedin/sandbox-posts';
import type { Sandbox } from '#server/networks/sandbox';

/** LinkedIn for members: apps cannot read what a member has posted. */
const sandbox: Sandbox = (kit) => {
  const sandbox = createLinkedinSandbox(kit, {
    scopes: ['openid', 'profile', 'email', 'w_member_social'],
    scopeSeparator: ',',
    writeScope: 'w_member_social',
    tellsImages: false,
    visibilities: ['PUBLIC', 'CONNECTIONS', 'LOGGED_IN'],
    authorsOf: ({ id, name }) => [{ urn: `urn:li:person:${id}`, name }],
  });
  addSandboxPosts(sandbox);

  sandbox.router.get(
    '/api/v2/userinfo',
    sandbox.signedIn(['openid', 'profile'], async (_req, res, { person: { id, name, avatarUrl: picture } }) => {
      const [given_name, ...others] = name.split(' ');
      const locale = { country: 'US', language: 'en' };
      res.send({ sub: id, name, given_name, family_name: others.join(' '), picture, locale });
    }),
  );

  return sandbox.router;
};

export default sandbox;
