import type { RequestHandler, Response } from 'express';
import type { AuditLog } from '#server/access/audit/audit-log';
import type { OutsideSignIn } from '#server/access/auth/identity-provider/identity';
import type { Sessions } from '#server/access/auth/sessions';
import { Refusal } from '#server/base/errors';
import type { People } from './people.ts';
import type { Welcome } from './welcome.ts';

const stateCookie = 'sign-in-state';

/** The redirect to the outside provider and back. Refusals are shown on the sign-in page. */
export const outsideSignIn = ({
  outside,
  people,
  welcome,
  sessions,
  audit,
  setSession,
  baseUrl,
}: {
  /** Absent: people sign in with a password. */
  outside: OutsideSignIn | undefined;
  people: People;
  welcome: Welcome;
  sessions: Sessions;
  audit: AuditLog;
  setSession: (res: Response, secret: string) => void;
  baseUrl: string;
}): { beginSignIn: RequestHandler; finishSignIn: RequestHandler } => ({
  beginSignIn: async (req, res) => {
    if (outside === undefined) return res.redirect('/sign-in');
    const code = typeof req.query.code === 'string' ? req.query.code.trim().slice(0, 100) : '';
    try {
      const { url, state } = await outside.begin(ownPath(req.query.next), code);
      res.cookie(stateCookie, state, {
        httpOnly: true,
        sameSite: 'lax',
        path: '/sign-in',
        secure: baseUrl.startsWith('https:'),
        maxAge: 600_000,
      });
      res.redirect(url);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      res.redirect(refusedPath(error));
    }
  },

  finishSignIn: async (req, res) => {
    if (outside === undefined) return res.redirect('/sign-in');
    const { requestId, ip: address } = req;
    const state = new RegExp(`(?:^|; *)${stateCookie}=([^;]*)`).exec(req.headers.cookie ?? '')?.[1] ?? '';
    let email: string | undefined;
    try {
      const { next, code, ...person } = await outside.finish(baseUrl + req.originalUrl, decodeURIComponent(state));
      email = person.email;
      const userId = await people.signInAs(person, { mayBeFirst: () => welcome.isFirstOwnerCode(code) });
      const workspaceId = await people.lastWorkspace(userId);
      await audit.write({ event: 'sign-in.succeeded', workspaceId, userId, requestId, details: { email, address } });
      setSession(res, await sessions.begin(userId, { means: ['provider'], userAgent: req.get('user-agent') ?? '' }));
      res.clearCookie(stateCookie, { path: '/sign-in' });
      res.redirect(ownPath(next));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.code === 'Forbidden') {
        await audit.write({ event: 'sign-in.failed', requestId, details: { email, address } });
      }
      res.redirect(refusedPath(error));
    }
  },
});

/** Passes only a code: with a text in the URL, anybody could make the page say anything. */
const refusedPath = ({ code, issues }: Refusal) => {
  const reason = issues[0]?.code ?? (code === 'Internal' ? 'Unreachable' : 'NotFinished');
  return `/sign-in?refused=${reason}`;
};

/** Only a path on this site: browsers read `//evil.example` and `/\evil` as other hosts. */
const ownPath = (next: unknown) =>
  typeof next === 'string' && /^\/(?![/\\])[^\s\\]*$/.test(next) && next.length < 2000 ? next : '/';
