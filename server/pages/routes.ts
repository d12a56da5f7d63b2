import { type Request, type Response, Router } from 'express';
import type { ApprovalCards } from '#server/approvals/cards';
import type { PersonalTokens } from '#server/auth/personal-tokens';
import type { Sessions } from '#server/auth/sessions';
import type { SignedIn, WhoIsSignedIn } from '#server/auth/sign-in';
import type { Caller } from '#server/context';
import { Refusal } from '#server/errors';
import type { Members } from '#server/workspaces/members';
import type { People } from '#server/workspaces/people';
import type { Welcome } from '#server/workspaces/welcome';
import { approvalPage, requestsPage, settingsPage } from './app-pages.ts';
import { sendPage } from './layout.ts';
import { invitationPage, messagePage, signInPage, signUpPage } from './sign-in-pages.ts';

/** Signing in through an outside identity provider, where there is one. */
export interface OutsideSignIn {
  begin(next: string): Promise<{ url: string; state: string }>;
  finish(callbackUrl: string, state: string): Promise<{ subject: string; email: string; next: string }>;
}

export interface PageParts {
  readonly who: WhoIsSignedIn;
  readonly setSession: (res: Response, secret: string) => void;
  readonly people: People;
  readonly members: Members;
  readonly cards: ApprovalCards;
  readonly tokens: PersonalTokens;
  readonly sessions: Sessions;
  readonly welcome: Welcome;
  /** Absent: people sign in with a password. */
  readonly outside: OutsideSignIn | undefined;
  readonly baseUrl: string;
}

const stateCookie = 'sign-in-state';

/** The pages for people: enough to sign in, decide on requests and make tokens. */
export const pageRoutes = (parts: PageParts): Router => {
  const { who, setSession, people, members, cards, tokens, sessions, welcome, outside, baseUrl } = parts;

  /** Somebody who is not signed in goes there first, and comes back. */
  const signedIn = async (req: Request, res: Response): Promise<SignedIn | undefined> => {
    const found = await who(req);
    if (found === undefined) res.redirect(`/sign-in?next=${encodeURIComponent(req.originalUrl)}`);
    return found;
  };

  const inWorkspace = async (req: Request, res: Response) => {
    const found = await signedIn(req, res);
    if (found === undefined) return undefined;
    if (found.workspace === undefined) {
      sendPage(res, messagePage('No workspace', 'You are in no workspace. Ask an admin for an invitation.'), 403);
      return undefined;
    }
    const { id, role } = found.workspace;
    const caller: Caller = { userId: found.userId, workspaceId: id, role, human: true };
    return { caller, session: await people.session(found.userId) };
  };

  const router = Router();

  router.get('/', async (req, res) => {
    const here = await inWorkspace(req, res);
    if (here) sendPage(res, requestsPage(here.session, await cards.list(here.caller)));
  });

  router.get('/approvals', (_req, res) => res.redirect('/'));

  router.get('/approvals/:id', async (req, res) => {
    const here = await inWorkspace(req, res);
    if (here === undefined) return;
    try {
      sendPage(res, approvalPage(here.session, await cards.get(here.caller, req.params.id)));
    } catch (error) {
      if (!(error instanceof Refusal && error.code === 'NotFound')) throw error;
      const text = `There is no such request in ${here.session.workspace?.name}. It may be in another workspace of yours.`;
      sendPage(res, messagePage('Not found', text), 404);
    }
  });

  router.get('/settings', async (req, res) => {
    const here = await inWorkspace(req, res);
    if (here === undefined) return;
    const own = (await tokens.list(here.caller)).map(({ lastUsedAt, ...token }) => ({
      ...token,
      ...(lastUsedAt !== null && { lastUsedAt }),
    }));
    sendPage(res, settingsPage(here.session, own, `${baseUrl}/mcp`));
  });

  router.get('/sign-in', async (req, res) => {
    const next = ownPath(req.query.next);
    if (await who(req)) return res.redirect(next);
    if (outside === undefined && (await people.isEmpty())) return res.redirect('/sign-up');
    sendPage(res, signInPage({ next, outside: outside !== undefined }));
  });

  router.get('/sign-up', async (_req, res) => {
    if (await people.isEmpty()) sendPage(res, signUpPage());
    else res.redirect('/sign-in');
  });

  router.get('/invitations/:token', async (req, res) => {
    const { token } = req.params;
    try {
      sendPage(res, invitationPage({ token, ...(await members.lookAt(token)) }));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      sendPage(res, messagePage('This invitation does not work', error.message), 404);
    }
  });

  router.get('/welcome/:secret', async (req, res) => {
    const secret = await welcome.enter(req.params.secret);
    if (secret === undefined) {
      const text = 'It works once, and only for the present run of Posthorn. Start Posthorn again for a new one.';
      return sendPage(res, messagePage('This link is used up', text), 404);
    }
    setSession(res, secret);
    res.redirect('/');
  });

  if (outside) {
    router.get('/sign-in/begin', async (req, res) => {
      const { url, state } = await outside.begin(ownPath(req.query.next));
      res.cookie(stateCookie, state, {
        httpOnly: true,
        sameSite: 'lax',
        path: '/sign-in',
        secure: baseUrl.startsWith('https:'),
        maxAge: 600_000,
      });
      res.redirect(url);
    });
    router.get('/sign-in/callback', async (req, res) => {
      const state = new RegExp(`(?:^|; *)${stateCookie}=([^;]*)`).exec(req.headers.cookie ?? '')?.[1] ?? '';
      const { next, ...person } = await outside.finish(baseUrl + req.originalUrl, decodeURIComponent(state));
      setSession(res, await sessions.begin(await people.signInAs(person)));
      res.clearCookie(stateCookie, { path: '/sign-in' });
      res.redirect(ownPath(next));
    });
  }
  return router;
};

/** Only a path of our own: `//evil.example` and `/\evil` are addresses elsewhere to a browser. */
const ownPath = (next: unknown) =>
  typeof next === 'string' && /^\/(?![/\\])[^\s\\]*$/.test(next) && next.length < 2000 ? next : '/';
