import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorRequestHandler, type Request, type Response, Router } from 'express';
import type { Grant, Interaction, Provider } from 'oidc-provider';
import type { ConsentQuestion } from '#contracts/consent';
import { isUrl } from '#contracts/is-url';
import { scopes } from '#contracts/scopes';
import { unnamed } from '#server/access/auth/registrations';
import { Refusal } from '#server/base/errors';
import { sendPage } from '#server/base/pages/layout';
import type { SignedIn, WhoIsSignedIn } from '#server/base/signed-in';
import { isLoopback } from './client-documents.ts';
import { errorPage } from './error-page.ts';
import type { Library } from './provider.ts';

export interface GivenConsent {
  readonly who: SignedIn;
  readonly clientId: string;
  readonly clientName: string;
  readonly scopes: readonly string[];
  readonly requestId: string;
}

interface InteractionParts {
  readonly library: Library;
  readonly provider: () => Provider;
  readonly mcp: string;
  readonly whoIsSignedIn: WhoIsSignedIn;
  readonly onConsent: (consent: GivenConsent) => Promise<void>;
}

/** The provider reads cookies from the request and sets them on the response. */
export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** Scopes that a person can accept or refuse. `openid` and `offline_access` would mean nothing to them. */
const questions: Record<string, string> = { ...scopes, email: 'See your e-mail address' };

export type Consent = ReturnType<typeof createInteractions>['consent'];

/** `/auth/interaction/{uid}`: where the provider sends somebody to sign in and to decide. */
export const createInteractions = ({ library, provider, mcp, whoIsSignedIn, onConsent }: InteractionParts) => {
  const { errors } = library;

  /** Signs in with the app's session if there is one, then leads to the consent page. */
  const redirect = async (req: Request, res: Response) => {
    const interaction = await provider().interactionDetails(req, res);
    const who = await whoIsSignedIn(req);
    if (who === undefined) {
      return res.redirect(303, `/sign-in?next=${encodeURIComponent(`/auth/interaction/${interaction.uid}`)}`);
    }
    if (interaction.prompt.name === 'login') return signIn(req, res, interaction, who);
    res.redirect(303, `/consent/${interaction.uid}`);
  };

  /**
   * The app's session counts as sign-in. If the provider session belongs to another person, it is taken over without
   * grants.
   */
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

  /** The interaction of this browser. Throws if it belongs to another person. */
  const findInteraction = async ({ req, res }: Exchange, id: string) => {
    const interaction = await provider()
      .interactionDetails(req, res)
      .catch((error: unknown) => {
        if (error instanceof errors.SessionNotFound) throw interactionExpired();
        throw error;
      });
    const who = await whoIsSignedIn(req);
    const isTheirs = who !== undefined && interaction.session?.accountId === who.userId;
    if (interaction.uid !== id || interaction.prompt.name !== 'consent' || !isTheirs) throw interactionExpired();
    return { interaction, who };
  };

  const nameOf = async (clientId: string) => {
    const name = (await provider().Client.find(clientId))?.clientName ?? clientId;
    return sanitizeName(name);
  };

  const consent = {
    read: async (exchange: Exchange, id: string): Promise<ConsentQuestion> => {
      const { interaction, who } = await findInteraction(exchange, id);
      const { clientId, redirectUri, asked } = requestOf(interaction);
      return {
        // The client id is the address of its metadata document, so this host has published it.
        client: {
          name: await nameOf(clientId),
          ...(isUrl(clientId) && { host: new URL(clientId).host }),
        },
        leadsTo: new URL(redirectUri).host,
        onThisComputer: isLoopback(redirectUri),
        scopes: asked.map((scope) => ({ scope, words: questions[scope] ?? scope })),
        email: who.email,
        ...(who.workspace && { workspace: who.workspace.name }),
      };
    },

    /** Returns the address to go to next. */
    decide: async (
      exchange: Exchange,
      id: string,
      { approve, scopes: accepted, requestId }: { approve: boolean; scopes: readonly string[]; requestId: string },
    ): Promise<string> => {
      const { interaction, who } = await findInteraction(exchange, id);
      const { req, res } = exchange;
      const { clientId, silent, asked } = requestOf(interaction);
      const granted = asked.filter((scope) => accepted.includes(scope));
      if (!approve || (asked.length > 0 && granted.length === 0)) {
        const refusal = { error: 'access_denied', error_description: 'The user has not approved the request.' };
        return provider().interactionResult(req, res, refusal, { mergeWithLastSubmission: false });
      }
      const grantId = await replaceGrant(interaction, (grant) => {
        grant.addOIDCScope(silent);
        for (const scope of asked) setScope(grant, scope, granted.includes(scope));
      });
      await onConsent({ who, clientId, clientName: await nameOf(clientId), scopes: granted, requestId });
      return provider().interactionResult(req, res, { consent: { grantId } }, { mergeWithLastSubmission: true });
    },
  };

  /** A scope that was not granted has to be rejected, or the provider would ask for it again and again. */
  const setScope = (grant: Grant, scope: string, isGranted: boolean) => {
    if (isOfMcp(scope)) isGranted ? grant.addResourceScope(mcp, scope) : grant.rejectResourceScope(mcp, scope);
    else isGranted ? grant.addOIDCScope(scope) : grant.rejectOIDCScope(scope);
  };

  /**
   * A new grant each time, because an old one remembers rejected scopes, and the provider would never ask for them
   * again.
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

  return { router: Router().get('/:uid', redirect).use(refuse), consent };
};

const interactionExpired = () =>
  new Refusal(
    'NotFound',
    'This request was answered, has expired, or is for another browser or person. Go back to the app that sent you here, and start again.',
  );

/** Shows a page instead of JSON, because a person reads it. */
const refuse: ErrorRequestHandler = (error, _req, res, next) => {
  const { status = 500, error_description, message } = error;
  if (status >= 500 || res.headersSent) return next(error);
  sendPage(res, errorPage(error_description ?? message), 400);
};

const isOfMcp = (scope: string) => Object.hasOwn(scopes, scope);

const requestOf = ({ params }: Interaction) => {
  const requested = [...new Set(String(params.scope).split(' '))];
  return {
    clientId: String(params.client_id),
    redirectUri: String(params.redirect_uri),
    asked: requested.filter((scope) => Object.hasOwn(questions, scope)),
    silent: requested.filter((scope) => scope === 'openid' || scope === 'offline_access'),
  };
};

/**
 * Clients choose their names, so characters that reverse or hide text, or close the quotation around it, are removed.
 */
export const sanitizeName = (name: string) =>
  name
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu, '')
    .replace(/["“-‟«»‹›″‶❝❞〝-〟「-』＂]/gu, '')
    .trim()
    .slice(0, 80) || unnamed;
