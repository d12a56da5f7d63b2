import { type Request, type Response, Router } from 'express';
import { editors } from '#contracts/scopes';
import type { Accounts } from '#server/accounts/accounts';
import type { ApprovalCards } from '#server/approvals/cards';
import type { AuditLog } from '#server/audit/audit-log';
import { asAccount } from '#server/auth/email-address';
import type { PersonalTokens } from '#server/auth/personal-tokens';
import type { Sessions } from '#server/auth/sessions';
import type { WhoIsSignedIn } from '#server/auth/sign-in';
import { Refusal } from '#server/errors';
import type { Reading } from '#server/posts/reading';
import type { SandboxClock } from '#server/sandbox/clock';
import type { Members } from '#server/workspaces/members';
import type { OutsidePerson, People } from '#server/workspaces/people';
import type { Welcome } from '#server/workspaces/welcome';
import { approvalPage, requestsPage, settingsPage } from './app-pages.ts';
import { type Here, isOneOf, refusalPage, type ServePage } from './frame.ts';
import { sendPage } from './layout.ts';
import { composePage, postsPage } from './post-pages.ts';
import { invitationPage, messagePage, signInPage, signUpPage } from './sign-in-pages.ts';

/** Signing in through an outside identity provider, where there is one. */
export interface OutsideSignIn {
  begin(next: string, code?: string): Promise<{ url: string; state: string }>;
  finish(callbackUrl: string, state: string): Promise<OutsidePerson & { next: string; code: string }>;
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
  readonly audit: AuditLog;
  readonly accounts: Accounts;
  readonly reading: Reading;
  readonly sandboxClock: SandboxClock;
  /** Absent: people sign in with a password. */
  readonly outside: OutsideSignIn | undefined;
  readonly baseUrl: string;
  readonly production: boolean;
}

const stateCookie = 'sign-in-state';
const postsPerPage = 30;

/** The pages for people: enough to sign in, connect accounts, publish, decide on requests and make tokens. */
export const pageRoutes = (parts: PageParts): Router => {
  const { who, setSession, people, members, cards, tokens, sessions, welcome, audit, outside, baseUrl } = parts;
  const hasSandbox = !parts.production;

  /** Somebody who is not signed in goes there first, and comes back. */
  const inWorkspace = async (req: Request, res: Response): Promise<Here | undefined> => {
    const found = await who(req);
    if (found === undefined) {
      res.redirect(`/sign-in?next=${encodeURIComponent(req.originalUrl)}`);
      return undefined;
    }
    if (found.workspace === undefined) {
      sendPage(res, messagePage('No workspace', 'You are in no workspace. Ask an admin for an invitation.'), 403);
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
    '/',
    serve(async (here, _req, res) => sendPage(res, requestsPage(here, await cards.list(here.caller)))),
  );

  router.get('/approvals', (_req, res) => res.redirect('/'));

  router.get(
    '/approvals/:id',
    serve(async (here, req, res) => {
      const card = await cards.get(here.caller, req.params.id ?? '').catch((error: unknown) => {
        if (!(error instanceof Refusal && error.code === 'NotFound')) throw error;
        const text = `There is no such request in ${here.session.workspace?.name}. It may be in another workspace of yours.`;
        throw new Refusal('NotFound', text);
      });
      sendPage(res, approvalPage(here, card));
    }),
  );

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

  router.get(
    '/settings',
    serve(async (here, _req, res) => {
      const own = (await tokens.list({ userId: here.caller.userId })).map(({ lastUsedAt, ...token }) => ({
        ...token,
        ...(lastUsedAt !== null && { lastUsedAt }),
      }));
      sendPage(res, settingsPage(here, own, `${baseUrl}/mcp`));
    }),
  );

  router.get('/sign-in', async (req, res) => {
    const next = ownPath(req.query.next);
    if (await who(req)) return res.redirect(next);
    if (await people.isEmpty()) return res.redirect('/sign-up');
    sendPage(res, signInPage({ next, outside: outside !== undefined }));
  });

  router.get('/sign-up', async (_req, res) => {
    const needs = { code: parts.production, outside: outside !== undefined };
    if (await people.isEmpty()) sendPage(res, signUpPage(needs));
    else res.redirect('/sign-in');
  });

  router.get('/invitations/:token', async (req, res) => {
    const { token } = req.params;
    try {
      const here = await who(req);
      const invitation = await members.lookAt(token);
      const isTheirs = here !== undefined && asAccount(here.email) === asAccount(invitation.email);
      sendPage(res, invitationPage({ token, ...invitation, isTheirs, outside: outside !== undefined }));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      sendPage(res, messagePage('This invitation does not work', error.message), 404);
    }
  });

  router.get('/welcome/:secret', async (req, res) => {
    const secret = await welcome.enter(req.params.secret, req.get('user-agent'));
    if (secret === undefined) {
      const text =
        'It works once, and only for a while. For a new one, run npx posthorn link where Posthorn runs, or sign in with your password.';
      return sendPage(res, messagePage('This link is used up', text), 404);
    }
    setSession(res, secret);
    res.redirect('/');
  });

  if (outside) {
    router.get('/sign-in/begin', async (req, res) => {
      const code = typeof req.query.code === 'string' ? req.query.code.trim().slice(0, 100) : '';
      const { url, state } = await outside.begin(ownPath(req.query.next), code);
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
      const { next, code, ...person } = await outside.finish(baseUrl + req.originalUrl, decodeURIComponent(state));
      const { email } = person;
      const { requestId, ip: address } = req;
      try {
        const userId = await people.signInAs(person, { mayBeFirst: () => welcome.isFirstOwnerCode(code) });
        const details = { email, address };
        const workspaceId = await people.lastWorkspace(userId);
        await audit.write({ event: 'sign-in.succeeded', workspaceId, userId, requestId, details });
        setSession(res, await sessions.begin(userId, { userAgent: req.get('user-agent') ?? '' }));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        await audit.write({ event: 'sign-in.failed', requestId, details: { email, address } });
        return sendPage(res, messagePage('You are not let in', error.message), error.status);
      }
      res.clearCookie(stateCookie, { path: '/sign-in' });
      res.redirect(ownPath(next));
    });
  }
  return router;
};

/** Only a path of our own: `//evil.example` and `/\evil` are addresses elsewhere to a browser. */
const ownPath = (next: unknown) =>
  typeof next === 'string' && /^\/(?![/\\])[^\s\\]*$/.test(next) && next.length < 2000 ? next : '/';
