import { Router } from 'express';
import {
  checkAuthorize,
  createContainerBook,
  invalid,
  mountLongTokens,
  mountRevocation,
  parametersOf,
  readForms,
  refuse,
  sendAppToken,
  sendNode,
  shortLifeMs,
  takeCode,
} from '#server/networks/families/meta/sandbox';
import type { Sandbox, SandboxKit } from '#server/networks/sandbox';
import { createSignedIn, refusals, type SignedIn, userId } from './sandbox-access.ts';
import { mountContainers } from './sandbox-containers.ts';
import { mountPlaces } from './sandbox-places.ts';
import { mountReads } from './sandbox-reads.ts';

/** The Threads API v1.0: everything goes through a container, texts too, and a thread is a chain of replies. */
const sandbox: Sandbox = (kit) => {
  const router = Router();
  const graph = Router();
  const api = Router();
  const signedIn = createSignedIn(kit);
  const containers = createContainerBook(kit);
  router.use('/graph', readForms(kit), graph);
  mountConsent(router, kit);
  mountTokens(graph, kit);
  mountLongTokens(graph, kit, refusals, 'th');
  graph.use('/v1.0', api);
  mountRevocation(api, kit, signedIn);
  mountUser(api, kit, signedIn);
  mountContainers(api, kit, signedIn, containers);
  mountPlaces(api, signedIn);
  mountReads(api, kit, signedIn, containers);
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
        tester: 'A tester of the app, to whom Threads tells which permissions were granted',
        unreviewed: 'Uses an app without review, which finds Menlo Park whatever place it searches for',
        unreadable: 'Has containers that can be published, but whose state cannot be read',
      },
    }),
  );
};

const mountTokens = (graph: Router, kit: SandboxKit) => {
  graph.get('/oauth/access_token', (req, res) => sendAppToken(res, req.query));
  graph.post('/oauth/access_token', async (req, res) => {
    const form = parametersOf(req);
    const grant = form.grant_type === 'authorization_code' ? await takeCode(kit, form) : undefined;
    if (grant === undefined) return refuse(res, { code: 1, message: 'Invalid verification code format.' });
    const { person, scopes } = grant;
    const access = await kit.grants.issue('short', { person, scopes, lifeMs: shortLifeMs });
    res.type('json').send(`{"access_token":${JSON.stringify(access)},"user_id":${userId(person)}}`);
  });
};

const mountUser = (api: Router, kit: SandboxKit, signedIn: SignedIn) => {
  api.get(
    '/debug_token',
    signedIn('threads_basic', async (req, res, { person }) => {
      if (!person.handle.includes('tester')) return refusals['missing-permission'](res);
      const grant = await kit.grants.find('access', String(req.query.input_token));
      if (grant?.person.id !== person.id) return refuse(res, invalid('The parameter input_token is required'));
      res.send({ data: { type: 'USER', is_valid: !grant.expired, scopes: grant.scopes, user_id: userId(person) } });
    }),
  );

  api.get(
    '/me',
    signedIn('threads_basic', async (req, res, { person }) => {
      const user = { id: userId(person), username: person.handle, name: person.name };
      sendNode(req, res, { ...user, threads_profile_picture_url: person.avatarUrl });
    }),
  );
};
