import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import type { RawRoute, Route } from '#contracts/define';
import type { PersonalTokens } from '#server/access/auth/personal-tokens';
import { keyOfAddress } from '#server/access/auth/rate-limit';
import type { SessionDoor } from '#server/access/auth/session-door';
import { factorMissing } from '#server/access/auth/sign-ins';
import { countRefused, mustHaveSender } from '#server/agents/admission';
import type { Caller } from '#server/base/context';
import { Refusal } from '#server/base/errors';
import type { SignedIn } from '#server/base/signed-in';
import { type Limit, type Reader, receive } from './receive.ts';

/** Who sent a request. Empty on public routes. */
export interface Visitor {
  readonly signedIn?: SignedIn;
  /** Absent for a person whose request is not about a workspace. */
  readonly caller?: Caller;
}
export type Person = Required<Visitor>;
type Authenticate = ReturnType<typeof createAuthenticate>;
export type ReceiveFrom = ReturnType<typeof createReceiveFrom>;

interface Parts {
  tokens: Pick<PersonalTokens, 'check'>;
  door: SessionDoor;
  rateLimit: Limit;
}

/** The only way to learn who sends a request, because it takes the reader of the body too: see `receive`. */
export const createReceiveFrom =
  ({ tokens, door, rateLimit }: Parts) =>
  <Sender, Body>(
    req: IncomingMessage,
    identify: (authenticate: Authenticate) => Promise<Sender>,
    reader: Reader<Sender, Body>,
  ) =>
    receive(req, rateLimit, (limit) => identify(createAuthenticate({ tokens, door, rateLimit: limit })), reader);

/** Identifies the sender of a request by personal token or session cookie, and counts it against the rate limit. */
const createAuthenticate = ({ tokens, door, rateLimit }: Parts) => {
  /** SPEC, Personal API tokens: missing, wrong or revoked is 401. */
  const byToken = async (req: Request, res: Response): Promise<Caller> => {
    const bearer = /^Bearer (\S+)$/i.exec(req.headers.authorization ?? '')?.[1];
    const request = { rateLimit, address: req.ip, res };
    const token = bearer === undefined ? undefined : await tokens.check(bearer).catch(countRefused(request, bearer));
    return mustHaveSender(request, token, token?.tokenId, () => {
      res.setHeader('www-authenticate', 'Bearer realm="Posthorn"');
      return new Refusal(
        'Unauthorized',
        bearer === undefined
          ? 'Send a personal token: Authorization: Bearer posthorn_pat_…'
          : 'This token is wrong or revoked. Make a new one.',
      );
    }).caller;
  };

  /** SPEC, Personal API tokens 4: whatever a token may not reach answers 403. */
  const bySession = async (req: Request, res: Response): Promise<SignedIn> => {
    if (req.headers.authorization !== undefined) {
      await byToken(req, res);
      throw new Refusal('Forbidden', 'A token cannot do this. Sign in to the app.');
    }
    const session = await door.who(req);
    const signedIn = mustHaveSender(
      { rateLimit, address: req.ip, res },
      session,
      session?.userId,
      () => new Refusal('Unauthorized', 'Nobody is signed in. Sign in to the app.'),
    );
    if (isWrite(req)) door.mustBeOwnPage(req);
    return signedIn;
  };

  /** A person in the workspace that their page was loaded for. */
  const byPerson = async (req: Request, res: Response): Promise<Person> => {
    const signedIn = await bySession(req, res);
    mustBeOpenWorkspace(signedIn, req.get(workspaceHeader));
    return { signedIn, caller: callerIn(signedIn) };
  };

  return {
    byToken,
    byPerson,

    byAccess: async (
      { access, roles }: Pick<Route | RawRoute, 'access' | 'roles'>,
      req: Request,
      res: Response,
    ): Promise<Visitor> => {
      const isToken = access === 'SessionOrToken' && req.headers.authorization !== undefined;
      if (access === 'PersonalToken' || isToken) return { caller: await byToken(req, res) };
      if (access === 'Session' || access === 'SessionOrToken')
        return roles ? byPerson(req, res) : { signedIn: await bySession(req, res) };
      if (access === 'Public') rateLimit.take(keyOfAddress(req.ip), res);
      // Public writes too, such as sign-in, must come from our own page.
      if (isWrite(req)) door.mustBeOwnPage(req);
      return {};
    },
  };
};

export const isWrite = ({ method }: IncomingMessage) => method !== 'GET' && method !== 'HEAD';

/** Sent by the app with every request: the workspace that its page was loaded for. */
export const workspaceHeader = 'posthorn-workspace';

/** Another tab may have switched the workspace. A request for one workspace must never change another. */
export const mustBeOpenWorkspace = ({ workspace }: SignedIn, expectedId: string | undefined) => {
  if (expectedId === undefined || expectedId === workspace?.id) return;
  const now = workspace ? `This browser has ${workspace.name} open now` : 'This workspace is no longer open';
  throw new Refusal(
    'Conflict',
    `${now}. Nothing was done and your text is kept; switch back to the workspace of this page, or load the page again.`,
  );
};

/** The person as a caller in their open workspace. */
export const callerIn = ({ userId, workspace, means }: SignedIn): Caller => {
  if (workspace === undefined) throw new Refusal('Forbidden', 'No workspace is open. Make one or open one.');
  const { id: workspaceId, role, canPublish, lacksFactor } = workspace;
  if (lacksFactor) throw factorMissing();
  return { userId, workspaceId, role, mayPublish: canPublish, isPerson: true, means };
};
