import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorRequestHandler, type Request, type Response, Router } from 'express';
import type { Grant, Interaction, Provider } from 'oidc-provider';
import type { ConsentQuestion } from '#contracts/consent';
import { isUrl } from '#contracts/is-url';
import { scopes } from '#contracts/scopes';
import { unnamed } from '#server/auth/registrations';
import { Refusal } from '#server/errors';
import { sendPage } from '#server/pages/layout';
import type { SignedIn, WhoIsSignedIn } from '#server/signed-in';
import { isLoopback } from './client-documents.ts';
import type { Library } from './provider.ts';
import { troublePage } from './trouble-page.ts';

/** Somebody let a client act for them. */
export interface Consented {
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
  readonly consented: (consent: Consented) => Promise<void>;
}

/** A request with the cookies of the provider, and where it sets them. */
export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** What can be given or kept back. `openid` and `offline_access` are no question: they say nothing to a person. */
const questions: Record<string, string> = { ...scopes, email: 'See your e-mail address' };

export type Consent = ReturnType<typeof createInteractions>['consent'];

/** `/auth/interaction/{uid}`: where the provider sends somebody to sign in and to decide. */
export const createInteractions = ({ library, provider, mcp, whoIsSignedIn, consented }: InteractionParts) => {
  const { errors } = library;

  /** Signs in by itself where it can; the page of the app asks the rest. */
  const lead = async (req: Request, res: Response) => {
    const interaction = await provider().interactionDetails(req, res);
    const who = await whoIsSignedIn(req);
    if (who === undefined) {
      return res.redirect(303, `/sign-in?next=${encodeURIComponent(`/auth/interaction/${interaction.uid}`)}`);
    }
    if (interaction.prompt.name === 'login') return signIn(req, res, interaction, who);
    res.redirect(303, `/consent/${interaction.uid}`);
  };

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

  /** The question of this browser, for the person it was made for. */
  const open = async ({ req, res }: Exchange, id: string) => {
    const interaction = await provider()
      .interactionDetails(req, res)
      .catch((error: unknown) => {
        if (error instanceof errors.SessionNotFound) throw overNow();
        throw error;
      });
    const who = await whoIsSignedIn(req);
    const isTheirs = who !== undefined && interaction.session?.accountId === who.userId;
    if (interaction.uid !== id || interaction.prompt.name !== 'consent' || !isTheirs) throw overNow();
    return { interaction, who };
  };

  const nameOf = async (clientId: string) => {
    const name = (await provider().Client.find(clientId))?.clientName ?? clientId;
    return plainName(name);
  };

  const consent = {
    read: async (exchange: Exchange, id: string): Promise<ConsentQuestion> => {
      const { interaction, who } = await open(exchange, id);
      const { clientId, redirectUri, asked } = requestOf(interaction);
      return {
        // The address of its document, which nobody but that host can have published.
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

    /** Where to go with the answer. */
    decide: async (
      exchange: Exchange,
      id: string,
      { approve, scopes: given, requestId }: { approve: boolean; scopes: readonly string[]; requestId: string },
    ): Promise<string> => {
      const { interaction, who } = await open(exchange, id);
      const { req, res } = exchange;
      const { clientId, silent, asked } = requestOf(interaction);
      const ticked = asked.filter((scope) => given.includes(scope));
      if (!approve || (asked.length > 0 && ticked.length === 0)) {
        const refusal = { error: 'access_denied', error_description: 'The user has not approved the request.' };
        return provider().interactionResult(req, res, refusal, { mergeWithLastSubmission: false });
      }
      const grantId = await replaceGrant(interaction, (grant) => {
        grant.addOIDCScope(silent);
        for (const scope of asked) answer(grant, scope, ticked.includes(scope));
      });
      await consented({ who, clientId, clientName: await nameOf(clientId), scopes: ticked, requestId });
      return provider().interactionResult(req, res, { consent: { grantId } }, { mergeWithLastSubmission: true });
    },
  };

  /** What is not given is refused by name, or the same request would be asked about for ever. */
  const answer = (grant: Grant, scope: string, given: boolean) => {
    if (isOfMcp(scope)) given ? grant.addResourceScope(mcp, scope) : grant.rejectResourceScope(mcp, scope);
    else given ? grant.addOIDCScope(scope) : grant.rejectOIDCScope(scope);
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

  return { router: Router().get('/:uid', lead).use(refuse), consent };
};

const overNow = () =>
  new Refusal(
    'NotFound',
    'This question was answered, has run out, or is for another browser or person. Go back to the app that sent you here, and begin again.',
  );

/** A person reads it, whatever went wrong: a question of another browser, one that has run out. */
const refuse: ErrorRequestHandler = (error, _req, res, next) => {
  const { status = 500, error_description, message } = error;
  if (status >= 500 || res.headersSent) return next(error);
  sendPage(res, troublePage(error_description ?? message), 400);
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

/** A name cannot turn the text around it, hide a part of itself, or close the quotation that it stands in. */
export const plainName = (name: string) =>
  name
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu, '')
    .replace(/["“-‟«»‹›″‶❝❞〝-〟「-』＂]/gu, '')
    .trim()
    .slice(0, 80) || unnamed;
