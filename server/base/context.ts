import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import type { Action, Approval, Route } from '#contracts/define';
import type { Client } from '#contracts/history';
import type { Proof } from '#contracts/receipts';
import type { Role } from '#contracts/scopes';
import type { JsonText } from '#server/base/json/json-text';
import type { SignedIn } from '#server/base/signed-in';
import type { DoneWithRequest, NeedsApproval } from './approval.ts';

/** Who sends the request, in which workspace. The entry point decides this, and all code behind it relies on it. */
export interface Caller {
  readonly userId: string;
  readonly workspaceId: string;
  readonly role: Role;
  /**
   * Publishes, and changes what is public or approved, without asking anybody: a person whose own click is the approval,
   * or whoever approves a request while it runs. Never true for a token, an agent or the assistant.
   */
  readonly mayPublish: boolean;
  /**
   * Acts in person, with a session in the app or a command on the server, whether or not they may publish. What such a
   * caller may not do becomes a request in their own name. False for a token, an agent, the assistant and whoever reads
   * by a link, also while a person approves what an agent asked for.
   */
  readonly isPerson: boolean;
  /** Runs an action in a transaction that is rolled back, to learn whether an approver could: see `cards.request`. */
  readonly rehearses?: true;
  /** How the person of a session proved who they are. Absent for a token. */
  readonly means?: readonly Proof[];
  /** The client they use, for the history of posts. Absent: the app. */
  readonly client?: Client;
  /**
   * Set for a token that may add files, and so may get a URL to upload one. Absent for other tokens and for the app.
   */
  readonly uploadAccess?: UploadAccess;
}

/** The token that the caller authenticated with. An upload URL works only as long as this token does. */
export type UploadAccess = { readonly tokenId: string } | { readonly clientId: string; readonly issuedAt: string };

/** The same user, acting through an agent: actions that need approval become requests of the agent. */
export const asAgent = (caller: Caller, client?: Client): Caller => ({
  ...caller,
  mayPublish: false,
  isPerson: false,
  ...(client && { client }),
});

/** The assistant's name in lists of agents. No MCP client may use it. */
export const assistantName = 'Assistant';

/** Approval cards store only the name of an agent. */
export const clientNamed = (name: string): Client =>
  name === assistantName ? { kind: 'Assistant' } : { kind: 'Mcp', name };

/** The name under which an agent asks. Undefined for people, who ask in their own name, and for tokens, which cannot. */
export const agentNameOf = ({ client }: Pick<Caller, 'client'>): string | undefined =>
  client?.kind === 'Assistant' ? assistantName : client?.kind === 'Mcp' ? client.name : undefined;

/**
 * An approval card runs the action inside its own transaction. Linked pages and images were fetched before it, because
 * a new fetch could bring content that the approver has not seen.
 */
export class ApprovalRun {
  /** A dry run to learn which images must be fitted, so images that do not fit yet are no error. */
  readonly isBeforeFitting: boolean;

  constructor({ isBeforeFitting = false } = {}) {
    this.isBeforeFitting = isBeforeFitting;
  }
}

/** A post whose linked pages were read and whose files were fitted. Only `readiness.makeReady` makes one. */
export interface ReadyPost {
  readonly is: 'Ready';
}

/** What scheduling and publishing demand. */
export type Preparation = ReadyPost | ApprovalRun;

export interface Call<A extends Action> {
  readonly input: z.output<A['input']>;
  readonly caller: Caller;
  /** From `prepare`, or of the approval card that runs the action. */
  readonly preparation?: Preparation | undefined;
}

export type Output<A extends Action> = z.output<A['output']>;

/**
 * What a file in `actions/` exports. The input has its defaults. The output may be JSON text from the database, if it
 * has exactly the declared fields.
 */
export type Handler<A extends Action> = RunCall<A> | PreparedHandler<A>;

export type RunCall<A extends Action> = (
  call: Call<A>,
) => Promise<Output<A> | JsonText<Output<A>> | NeedsApproval | DoneWithRequest>;

/** An action with work that takes too long for a transaction, such as a download. */
export interface PreparedHandler<A extends Action> {
  /** Returns what `run` gets. May be called again for the input that it returned. */
  readonly prepare: (
    call: Omit<Call<A>, 'preparation'>,
  ) => Promise<{ readonly input: Call<A>['input']; readonly ready?: ReadyPost } | NeedsApproval>;
  readonly run: RunCall<A>;
}

/** What every request of a route carries, with or without a session. */
export interface RequestContext {
  readonly requestId: string;
  /** The IP address, for rate limits. */
  readonly address: string;
  readonly userAgent: string;
  readonly session: SessionCookie;
  /** For the identity provider, which reads cookies of its own. */
  readonly exchange: { readonly req: IncomingMessage; readonly res: ServerResponse };
}

/** A call of a route of the app. Session, role and input are already checked. */
export interface RouteCall<R extends Route> extends RequestContext {
  readonly body: R extends { body: infer B extends z.ZodType } ? z.output<B> : undefined;
  readonly params: R extends { params: infer P extends z.ZodType } ? z.output<P> : undefined;
  readonly query: R extends { query: infer Q extends z.ZodType } ? z.output<Q> : undefined;
  readonly signedIn: R['access'] extends 'Session' ? SignedIn : undefined;
  /** Present when an approval card runs the route: see ApprovalRun. */
  readonly approval?: ApprovalRun | undefined;
  /** The person as a caller in the open workspace. */
  readonly caller: R extends { roles: readonly Role[] } ? Caller : undefined;
}

export interface SessionCookie {
  /** As the browser sent it. */
  readonly secret: string;
  set(secret: string): void;
  /** The cookie of a sign-in that waits for its second factor, as the browser sent it. */
  readonly pending: string;
  /** An empty string when that sign-in has ended. */
  setPending(secret: string): void;
  /** Ends the session in the browser, on the server and at the identity provider. */
  clear(): Promise<void>;
}

type RouteHandler<R extends Route> = (
  call: RouteCall<R>,
) => Promise<RouteAnswer<R> | (R extends { approval: Approval } ? NeedsApproval : never)>;

/** Only the body, or `{ status, body }` if the route declares several statuses. */
type RouteAnswer<R extends Route> = keyof R['responses'] extends 200
  ? z.output<R['responses'][200]['body']>
  : {
      [S in keyof R['responses'] & number]: { status: S; body: z.output<R['responses'][S]['body']> };
    }[keyof R['responses'] & number];

/** One handler for each route. A missing one does not compile. */
export type RouteHandlers<Routes extends Readonly<Record<string, Route>>> = {
  readonly [N in keyof Routes]: RouteHandler<Routes[N]>;
};
