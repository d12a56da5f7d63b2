import { Router } from 'express';
import {
  checkAuthorize,
  createContainerBook,
  mountLongTokens,
  mountRevocation,
  notThere,
  parametersOf,
  readForms,
  refuse,
  sendNode,
  shortLifeMs,
  takeCode,
} from '#server/networks/families/meta/sandbox';
import type { Sandbox, SandboxKit } from '#server/networks/sandbox';
import { createSignedIn, refusals, type SignedIn, userId } from './sandbox-access.ts';
import { mountContainers, mountPublishing } from './sandbox-containers.ts';
import { createPosts } from './sandbox-posts.ts';
import { mountComments, mountInsights, mountLists, mountNodes } from './sandbox-reads.ts';

/** The Instagram API with Instagram Login: media from public addresses go into containers, which are published. */
const sandbox: Sandbox = (kit) => {
  const router = Router();
  const graph = Router();
  const api = Router({ mergeParams: true });
  const signedIn = createSignedIn(kit);
  const containers = createContainerBook(kit);
  const posts = createPosts(kit);
  router.use('/graph', readForms(kit), graph);
  mountConsent(router, kit);
  mountLogin(router, kit);
  mountLongTokens(graph, kit, refusals, 'ig');
  graph.use(
    '/:version',
    (req, res, next) => (/^v\d+\.\d+$/.test(String(req.params.version)) ? next() : refuse(res, notThere)),
    api,
  );
  mountRevocation(api, kit, signedIn);
  mountMe(api, signedIn);
  mountContainers(api, kit, signedIn, containers);
  mountPublishing(api, kit, signedIn, { containers, posts });
  mountLists(api, kit, signedIn, posts);
  mountComments(api, kit, signedIn, posts);
  mountInsights(api, kit, signedIn, posts);
  mountNodes(api, signedIn, { containers, posts });
  return router;
};

export default sandbox;

const mountConsent = (router: Router, kit: SandboxKit) => {
  router.all(
    '/web/oauth/authorize',
    kit.consent({
      check: checkAuthorize,
      scopesOf: (query) => (query.scope ?? '').split(','),
      codeLifeMs: 3_600_000,
      suffix: '#_',
      states: {
        fifty: 'Has posted as often today as Instagram takes from apps',
        unreadable: 'Has containers that can be published, but whose state cannot be read',
      },
    }),
  );
};

const mountLogin = (router: Router, kit: SandboxKit) => {
  router.post('/login/oauth/access_token', async (req, res) => {
    const fields = req.is('multipart/form-data') ? (await kit.readMultipart(req)).fields : parametersOf(req);
    const wrong = (error_message: string) =>
      res.status(400).send({ error_type: 'OAuthException', code: 400, error_message });
    if (fields.client_id !== 'sandbox') return wrong('Invalid platform app');
    if (fields.client_secret !== 'sandbox') return wrong('Error validating client secret.');
    const grant = fields.grant_type === 'authorization_code' ? await takeCode(kit, fields) : undefined;
    if (grant === undefined) return wrong('Invalid authorization code');
    const { person, scopes } = grant;
    const access = await kit.grants.issue('short', { person, scopes, lifeMs: shortLifeMs });
    res
      .type('json')
      .send(
        `{"access_token":${JSON.stringify(access)},"user_id":${userId(person)},"permissions":${JSON.stringify(scopes)}}`,
      );
  });
};

const mountMe = (api: Router, signedIn: SignedIn) => {
  api.get(
    '/me',
    signedIn('instagram_business_basic', async (req, res, { person }) => {
      const id = `25${person.id}`;
      const user = { user_id: userId(person), username: person.handle, name: person.name };
      sendNode(req, res, { id, ...user, profile_picture_url: person.avatarUrl });
    }),
  );
};
