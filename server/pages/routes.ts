import { type Request, type Response, Router } from 'express';
import { editors } from '#contracts/scopes';
import type { Accounts } from '#server/accounts/connected';
import type { Connecting } from '#server/accounts/connecting';
import { Refusal } from '#server/errors';
import type { Networks } from '#server/networks/registry';
import type { Reading } from '#server/posts/reading';
import type { Providers } from '#server/providers/offered';
import type { SandboxClock } from '#server/sandbox/clock';
import { readSandbox, sandboxPage } from '#server/sandbox/feed-page';
import type { Sandboxes } from '#server/sandbox/serve';
import type { WhoIsSignedIn } from '#server/signed-in';
import type { People } from '#server/workspaces/people';
import { connectRoutes } from './connect-routes.ts';
import { type Here, isOneOf, refusalPage, type ServePage } from './frame.ts';
import { sendPage } from './layout.ts';
import { composePage, postsPage } from './post-pages.ts';

export interface PageParts {
  readonly who: WhoIsSignedIn;
  readonly people: People;
  readonly accounts: Accounts;
  readonly providers: Providers;
  readonly connecting: Connecting;
  readonly reading: Reading;
  readonly networks: Networks;
  readonly sandboxes: Sandboxes;
  readonly sandboxClock: SandboxClock;
  readonly baseUrl: string;
  readonly production: boolean;
}

const postsPerPage = 30;

/** The pages that the app has not replaced yet. */
export const pageRoutes = (parts: PageParts): Router => {
  const { who, people, baseUrl } = parts;
  const hasSandbox = !parts.production;

  /** Somebody who is not signed in goes there first, and comes back. */
  const inWorkspace = async (req: Request, res: Response): Promise<Here | undefined> => {
    const found = await who(req);
    if (found === undefined) {
      res.redirect(`/sign-in?next=${encodeURIComponent(req.originalUrl)}`);
      return undefined;
    }
    if (found.workspace === undefined) {
      res.redirect('/');
      return undefined;
    }
    const { id, role } = found.workspace;
    const caller = { userId: found.userId, workspaceId: id, role, human: true };
    return { caller, session: await people.session({ ...found, workspaceId: id }), hasSandbox };
  };

  const serve: ServePage = (work) => async (req, res) => {
    const here = await inWorkspace(req, res);
    if (here === undefined) return;
    try {
      await work(here, req, res);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const title = error.code === 'NotFound' ? 'Not found' : 'This does not work';
      sendPage(res, refusalPage(here, '', title, error.message), error.status);
    }
  };

  const router = Router();

  router.get(
    '/posts',
    serve(async (here, req, res) => {
      const cursor = typeof req.query.cursor === 'string' ? req.query.cursor : undefined;
      const list = await parts.reading.list(here.caller, { limit: postsPerPage, cursor });
      sendPage(res, postsPage(here, { ...list, accounts: await parts.accounts.list(here.caller) }));
    }),
  );

  router.get(
    '/posts/new',
    serve(async (here, _req, res) => {
      if (!isOneOf(here, editors)) {
        throw new Refusal('Forbidden', `Editors, admins and owners write posts; you are ${here.caller.role} here.`);
      }
      const clock = hasSandbox ? parts.sandboxClock.now().toISOString() : undefined;
      sendPage(res, composePage(here, await parts.accounts.list(here.caller), clock));
    }),
  );

  router.use(connectRoutes({ ...parts, serve }));

  if (hasSandbox) {
    router.get(
      '/sandbox',
      serve(async (here, _req, res) => sendPage(res, sandboxPage(here, await readSandbox(parts), baseUrl))),
    );
  }

  return router;
};
