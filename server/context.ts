import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import type { Action, Route } from '#contracts/define';
import type { Client } from '#contracts/history';
import type { Role } from '#contracts/scopes';
import type { JsonText } from '#server/json/json-text';
import type { SignedIn } from './signed-in.ts';

/** Who asks, and where: decided by the door, trusted by everything behind it. */
export interface Caller {
  readonly userId: string;
  readonly workspaceId: string;
  readonly role: Role;
  /** A person in the app, whose own click is the approval. Never true for a token, an agent or the assistant. */
  readonly human: boolean;
  /** What they use, for the history of posts. Absent: the app. */
  readonly client?: Client;
}

/** How the assistant is named wherever agents are. No MCP client may have this name. */
export const assistantName = 'Assistant';

/** What an agent that is known by its name alone uses. */
export const clientNamed = (name: string): Client =>
  name === assistantName ? { kind: 'Assistant' } : { kind: 'Mcp', name };

/**
 * An approval card runs the action inside its own transaction. Linked pages and pictures were read before that, so nothing
 * is read anew that a person has not seen.
 */
export interface ApprovalRun {
  /** A rehearsal that finds out what to fit: pictures that are not fitted yet are no reason to refuse. */
  readonly isBeforeFitting?: true;
}

export interface Call<A extends Action> {
  readonly input: z.output<A['input']>;
  readonly caller: Caller;
  /** Absent when the caller runs it. */
  readonly approval?: ApprovalRun | undefined;
}

export type Output<A extends Action> = z.output<A['output']>;

/**
 * What a file in `actions/` builds: the action, with defaults applied to its input. Its answer may be JSON that the database
 * has written, of exactly the declared fields.
 */
export type Handler<A extends Action> = (call: Call<A>) => Promise<Output<A> | JsonText<Output<A>>>;

/** What is known of every request of a path, whoever sends it. */
export interface Visit {
  readonly requestId: string;
  /** Of the network, for limits. */
  readonly address: string;
  readonly userAgent: string;
  readonly session: SessionCookie;
  /** For the identity provider, which reads cookies of its own. */
  readonly exchange: { readonly req: IncomingMessage; readonly res: ServerResponse };
}

/** A call of a path of the app, after the door has checked session, role and input. */
export interface RouteCall<R extends Route> extends Visit {
  readonly body: R extends { body: infer B extends z.ZodType } ? z.output<B> : undefined;
  readonly params: R extends { params: infer P extends z.ZodType } ? z.output<P> : undefined;
  readonly query: R extends { query: infer Q extends z.ZodType } ? z.output<Q> : undefined;
  readonly signedIn: R['access'] extends 'Session' ? SignedIn : undefined;
  /** The same person in the workspace that is open. */
  readonly caller: R extends { roles: readonly Role[] } ? Caller : undefined;
}

export interface SessionCookie {
  /** As the browser sent it. */
  readonly secret: string;
  set(secret: string): void;
  /** Ends it in the browser, here and at the identity provider. */
  clear(): Promise<void>;
}

type RouteHandler<R extends Route> = (call: RouteCall<R>) => Promise<RouteAnswer<R>>;

/** The body; with its status where there are several. */
type RouteAnswer<R extends Route> = keyof R['responses'] extends 200
  ? z.output<R['responses'][200]['body']>
  : {
      [S in keyof R['responses'] & number]: { status: S; body: z.output<R['responses'][S]['body']> };
    }[keyof R['responses'] & number];

/** One handler for each path of a record of routes: a missing one does not compile. */
export type RouteHandlers<Routes extends Readonly<Record<string, Route>>> = {
  readonly [N in keyof Routes]: RouteHandler<Routes[N]>;
};
