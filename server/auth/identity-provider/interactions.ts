import express, { type ErrorRequestHandler, type Request, type Response, Router } from 'express';
import type { Grant, Interaction, Provider } from 'oidc-provider';
import { scopes } from '#contracts/scopes';
import { sendPage } from '#server/pages/layout';
import type { SignedIn, WhoIsSignedIn } from '#server/signed-in';
import { consentPage, isQuestion, plainName, troublePage } from './interaction-pages.ts';
import type { Library } from './provider.ts';

/** Somebody let a client act for them. */
export interface Consented {
  readonly who: SignedIn;
  readonly clientId: string;
  readonly clientName: string;
  readonly scopes: readonly string[];
  readonly requestId: string;
}

export interface InteractionParts {
  readonly library: Library;
  readonly provider: () => Provider;
  readonly mcp: string;
  readonly whoIsSignedIn: WhoIsSignedIn;
  /** Throws when the form was sent by a page of somebody else. */
  readonly mustBeOwnPage: (req: Request) => void;
  readonly consented: (consent: Consented) => Promise<void>;
}

/** `/auth/interaction/{uid}`: where the provider sends somebody to sign in and to decide. */
export const interactionRoutes = ({
  library,
  provider,
  mcp,
  whoIsSignedIn,
  mustBeOwnPage,
  consented,
}: InteractionParts): Router => {
  const { errors } = library;

  const open = async (req: Request, res: Response) => {
    const interaction = await provider().interactionDetails(req, res);
    const who = await whoIsSignedIn(req);
    return { interaction, who };
  };

  const show = async (req: Request, res: Response) => {
    const { interaction, who } = await open(req, res);
    if (who === undefined) {
      return res.redirect(303, `/sign-in?next=${encodeURIComponent(`/auth/interaction/${interaction.uid}`)}`);
    }
    if (interaction.prompt.name === 'login') return signIn(req, res, interaction, who);
    mustBeTheirs(interaction, who);
    const { clientId, redirectUri, asked } = requestOf(interaction);
    const page = consentPage({ clientId, redirectUri, asked, who, clientName: await nameOf(clientId) });
    sendPage(res, page, 200, { namesOrigin: true });
  };

  const nameOf = async (clientId: string) => (await provider().Client.find(clientId))?.clientName ?? clientId;

  /** The app's session is the sign-in. A provider session of somebody else becomes theirs, with none of its grants. */
  const signIn = async (req: Request, res: Response, { session }: Interaction, { userId }: SignedIn) => {
    const returnTo = await provider().interactionResult(req, res, { login: { accountId: userId, remember: false } });
    const stale = session?.accountId !== userId && session?.uid && (await provider().Session.findByUid(session.uid));
    if (stale) {
      stale.authorizations = undefined;
      stale.loginAccount({ accountId: userId, transient: true });
      await stale.persist();
    }
    res.redirect(303, returnTo);
  };

  const decide = async (req: Request, res: Response) => {
    mustBeOwnPage(req);
    const { interaction, who } = await open(req, res);
    if (who === undefined) throw new errors.SessionNotFound('Nobody is signed in.');
    mustBeTheirs(interaction, who);
    const { clientId, silent, asked } = requestOf(interaction);
    const form = new URLSearchParams(req.body as string | undefined);
    const ticked = asked.filter((scope) => form.getAll('scope').includes(scope));
    if (form.get('decision') !== 'approve' || (asked.length > 0 && ticked.length === 0)) {
      const refusal = { error: 'access_denied', error_description: 'The user has not approved the request.' };
      return provider().interactionFinished(req, res, refusal, { mergeWithLastSubmission: false });
    }
    const grantId = await replaceGrant(interaction, (grant) => {
      grant.addOIDCScope(silent);
      for (const scope of asked) answer(grant, scope, ticked.includes(scope));
    });
    const clientName = plainName(await nameOf(clientId));
    await consented({ who, clientId, clientName, scopes: ticked, requestId: req.requestId });
    await provider().interactionFinished(req, res, { consent: { grantId } });
  };

  /** What is not given is refused by name, or the same request would be asked about for ever. */
  const answer = (grant: Grant, scope: string, given: boolean) => {
    if (isOfMcp(scope)) given ? grant.addResourceScope(mcp, scope) : grant.rejectResourceScope(mcp, scope);
    else given ? grant.addOIDCScope(scope) : grant.rejectOIDCScope(scope);
  };

  const mustBeTheirs = ({ prompt, session }: Interaction, { userId }: SignedIn) => {
    if (prompt.name !== 'consent' || session?.accountId !== userId) {
      throw new errors.SessionNotFound('Somebody else has signed in since.');
    }
  };

  /**
   * A fresh one each time: in an old one a scope that was once refused counts as answered, and would never be asked
   * about again.
   */
  const replaceGrant = async ({ session, params, grantId: oldId }: Interaction, fill: (grant: Grant) => void) => {
    const { Grant } = provider();
    const grant = new Grant({ accountId: session?.accountId, clientId: String(params.client_id) });
    fill(grant);
    const id = await grant.save();
    const old = oldId && (await Grant.find(oldId));
    if (old) await old.destroy();
    return id;
  };

  return Router().get('/:uid', show).post('/:uid', plainForm, decide).use(refuse);
};

/** A person reads it, whatever went wrong: a question of another browser, one that has run out, a form too long. */
const refuse: ErrorRequestHandler = (error, _req, res, next) => {
  const { status = 500, error_description, message } = error;
  if (status >= 500 || res.headersSent) return next(error);
  sendPage(res, troublePage(error_description ?? message), 400);
};

const plainForm = express.text({ type: 'application/x-www-form-urlencoded', limit: '8kb' });

const isOfMcp = (scope: string) => Object.hasOwn(scopes, scope);

const requestOf = ({ params }: Interaction) => {
  const requested = [...new Set(String(params.scope).split(' '))];
  return {
    clientId: String(params.client_id),
    redirectUri: String(params.redirect_uri),
    asked: requested.filter(isQuestion),
    silent: requested.filter((scope) => scope === 'openid' || scope === 'offline_access'),
  };
};
