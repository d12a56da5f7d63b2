import { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import type { Role, Scope } from './scopes.ts';

/** SPEC, What the service does: read-only, write, or only after a human's approval. */
export type Kind = 'ReadOnly' | 'Write' | 'NeedsApproval';

/** Listed: in every tools/list. OnRequest: an owner switches it on for the workspace. Never: not over MCP. */
export type McpListing = 'Listed' | 'OnRequest' | 'Never';

/**
 * What a person decides who is asked to approve an action. The request runs the action and undoes it, so that only what
 * can succeed becomes a card: its handler changes the database and nothing else, and leaves work outside to a job.
 */
export interface Approval {
  /** What the input's `id` names. The card shows it, and is for it exactly as it was at the request. */
  readonly subject: 'post' | 'account';
  /** The head of the card. `{field}` stands for that field of the input. */
  readonly sentence: string;
  /** On the button that approves. */
  readonly verb: string;
}

export interface Example<I extends z.ZodObject, O extends z.ZodObject> {
  readonly title: string;
  readonly input: z.input<I>;
  readonly output: z.output<O>;
}

/** One action of the service: everything a caller, in whichever language, needs to know about it. */
export interface Action<
  I extends z.ZodObject = z.ZodObject,
  O extends z.ZodObject = z.ZodObject,
  E extends ErrorCode = ErrorCode,
> {
  readonly kind: Kind;
  readonly scope: Scope;
  readonly roles: readonly Role[];
  readonly mcp: McpListing;
  readonly summary: string;
  readonly description: string;
  readonly input: I;
  readonly output: O;
  /** What it can answer beyond the common errors. */
  readonly errors: readonly E[];
  readonly examples: readonly Example<I, O>[];
  /** MCP destructiveHint: it removes something. */
  readonly destructive?: true;
  /** MCP openWorldHint: it reaches the public. */
  readonly openWorld?: true;
  /** Needed where a human may have to approve: always, or what is scheduled already. */
  readonly approval?: Approval;
}

/** An action that needs approval does not compile without its card. */
type WithCard = { readonly kind: Exclude<Kind, 'NeedsApproval'> } | { readonly approval: Approval };

/** Returns its argument; exists so that examples are checked against the schemas beside them. */
export const action = <I extends z.ZodObject, O extends z.ZodObject, const E extends ErrorCode = never>(
  declaration: Omit<Action<I, O, E>, 'examples'> & {
    readonly examples: readonly Example<NoInfer<I>, NoInfer<O>>[];
  } & WithCard,
): Action<I, O, E> => declaration;

/** A path that is not an action. The server serves it through ts-rest, OpenAPI shows it. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Parameters as `:id`. */
  readonly path: `/${string}`;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Session: a person in the app, never a token. SessionOrToken: also a personal token, with its own workspace. */
  readonly access: 'Public' | 'PersonalToken' | 'Session' | 'SessionOrToken';
  /** Which roles in the workspace may; absent when it is not about a workspace. */
  readonly roles?: readonly Role[];
  readonly params?: z.ZodObject;
  /** Behind the `?`; every value is text. */
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** The body may also come as multipart/form-data. ts-rest cannot read a stream, so that is served beside it. */
  readonly form?: z.ZodObject;
  readonly responses: Readonly<Record<number, RouteResponse>>;
  readonly errors: readonly ErrorCode[];
}

export interface RouteResponse {
  readonly description: string;
  readonly contentType: 'application/json' | 'text/plain';
  readonly body: z.ZodType;
}

export const route = <const R extends Route>(declaration: R): R => declaration;

const instantMessage = 'must be an ISO-8601 instant with a zone, such as 2026-11-15T09:30:00Z';

/** An instant with its zone; a wall-clock time without one is refused. Years before 1970 are nobody's plan. */
export const Instant = z.iso
  .datetime({ offset: true, error: instantMessage })
  .max(40, instantMessage)
  .refine((text) => text >= '1970', instantMessage);

/** An instant, or empty text for none. */
export const InstantOrEmpty = z.union([z.literal(''), Instant], {
  error: `${instantMessage}, or empty`,
});

/** The id of a record, as an earlier answer gave it. */
export const Id = z.string().min(1).max(100);

export const Empty = z.strictObject({});
