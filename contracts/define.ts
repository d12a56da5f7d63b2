import { z } from 'zod';
import { textBounds } from './bounds.ts';
import type { ErrorCode } from './errors.ts';
import { canonicalInstant } from './instant.ts';
import { type Role, roles, type Scope } from './scopes.ts';

/** SPEC, What the service does: read-only, write, or only after a human's approval. */
export type Kind = 'ReadOnly' | 'Write' | 'NeedsApproval';

/** Listed: in every tools/list. OnRequest: an owner switches it on for the workspace. Never: not over MCP. */
export type McpListing = 'Listed' | 'OnRequest' | 'Never';

/**
 * What a person who is asked to approve an action decides on. The request runs the action and undoes it, so that only what
 * can succeed becomes a card: its handler changes the database and nothing else, and leaves work outside to a job.
 */
export interface Approval {
  /** What the input's `id` names. The card shows it, and is valid only for its content at the time of the request. */
  readonly subject: 'post' | 'account' | 'media';
  /** The head of the card. `{field}` stands for that field of the input. */
  readonly sentence: string;
  /** On the button that approves. */
  readonly verb: string;
  /** Sentences that replace `sentence`, by input field: used when the field is true or a list with entries. */
  readonly instead?: Readonly<Record<string, string>>;
  /** A person who may not publish needs no approval for what no scheduled post has. */
  readonly areDraftsFree?: true;
  /** Other words for a post that is scheduled already. `{from}` stands for its time. */
  readonly whenScheduled?: { readonly sentence: string; readonly verb: string };
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
  /** The web app alone uses it: no agent is offered it, and neither is the assistant. */
  readonly appOnly?: true;
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
  /**
   * Open: anybody, as often as they like. Public: anybody who comes to sign in, counted by address.
   * Session: a person in the app, never a token. SessionOrToken: also a personal token, with its own workspace.
   */
  readonly access: 'Open' | 'Public' | 'PersonalToken' | 'Session' | 'SessionOrToken';
  /** Which roles in the workspace may; absent when it is not about a workspace. */
  readonly roles?: readonly Role[];
  /** It changes what is public or approved: a person who may not publish requests it. `params` has the id. */
  readonly approval?: Approval;
  readonly params?: z.ZodObject;
  /** Behind the `?`; every value is text. */
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** The body may also come as multipart/form-data. ts-rest cannot read a stream, so that is served beside it. */
  readonly form?: z.ZodObject;
  /** The one body that readers of OpenAPI see: generated clients cannot choose between two. Absent: both. */
  readonly documented?: 'form';
  /**
   * Takes an Idempotency-Key. InHandler: the handler itself does, because a part of its work is not in the database.
   * `onRepeat`: the answer has a secret, so it is not stored. A repeat is a Conflict with this sentence.
   */
  readonly idempotent?: true | 'InHandler' | { readonly onRepeat: string };
  readonly responses: Readonly<Record<number, RouteResponse>>;
  readonly errors: readonly ErrorCode[];
}

export interface RouteResponse {
  readonly description: string;
  readonly contentType: 'application/json' | 'text/plain';
  readonly body: z.ZodType;
}

export const route = <const R extends Route>(declaration: R): R => declaration;

/** What OpenAPI shows of a path whose handler speaks a protocol of its own. */
export interface RawOperation {
  readonly method: 'GET' | 'POST';
  /** What its callers send, also where the path decides by a protocol of its own. */
  readonly access: Route['access'];
  readonly tag: string;
  readonly summary: string;
  readonly params?: z.ZodObject;
  readonly idempotent?: true;
  /** Of the request, with what each says. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: { readonly contentType: 'application/json' | 'multipart/form-data'; readonly schema: z.ZodType };
  readonly responses: Readonly<
    Record<number, { readonly description: string; readonly headers?: readonly string[]; readonly body?: z.ZodType }>
  >;
  readonly errors: readonly ErrorCode[];
}

/** A path whose handler writes the answer itself: bytes, a stream, another protocol. The clients leave it out. */
export interface RawRoute {
  /** Every: the handler answers for all methods, and refuses by itself. */
  readonly methods: readonly ('GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PATCH' | 'DELETE')[] | 'Every';
  /** Parameters as `:id`. */
  readonly path: `/${string}`;
  readonly description: string;
  /** As for a Route. Operator: who sends ADMIN_TOKEN. Own: the handler decides by a protocol of its own. */
  readonly access: 'Open' | 'PersonalToken' | 'Session' | 'SessionOrToken' | 'Operator' | 'Own';
  /** With `Session` and `SessionOrToken`: which roles in the workspace may. */
  readonly roles?: readonly Role[];
  /** RunsActions: `:action` names the action to run. Own: a handler of the name of this declaration. */
  readonly handler: 'RunsActions' | 'Own';
  /** Absent: OpenAPI leaves it out. */
  readonly operation?: RawOperation;
}

export const rawRoute = <const R extends RawRoute>(declaration: R): R => declaration;

type Declaration = Omit<Route, 'access' | 'responses' | 'errors'>;

/** One JSON answer, and the errors that every path of the app can give. */
const withAccess =
  <const Access extends Route['access']>(access: Access) =>
  <const R extends Declaration, A extends z.ZodType>(
    declaration: R & { answer: A; more?: readonly ErrorCode[] },
  ): R & { access: Access; responses: { 200: RouteResponse & { body: A } }; errors: readonly ErrorCode[] } => ({
    ...declaration,
    access,
    responses: { 200: { description: 'Done', contentType: 'application/json', body: declaration.answer } },
    errors: [
      ...(['BadInput', 'Unauthorized', 'Forbidden'] as const),
      // Another tab of the same browser may have switched the workspace.
      ...new Set([...(declaration.more ?? []), ...(declaration.roles ? (['Conflict'] as const) : [])]),
      ...(['TooManyRequests', 'Internal'] as const),
    ],
  });

/** A session cookie, never a token. */
export const appRoute = withAccess('Session');
/** A session cookie, or a personal token. */
export const tokenRoute = withAccess('SessionOrToken');
/** For those who come to sign in. */
export const publicRoute = withAccess('Public');

const instantMessage = 'must be an ISO-8601 instant with a zone, such as 2026-11-15T09:30:00Z';

/** An instant with its zone, left as it was written; a wall-clock time without one is refused. */
export const InstantAsWritten = z
  .string(instantMessage)
  .refine((text) => canonicalInstant(text) !== undefined, instantMessage)
  .meta({ format: 'date-time' });

/** An instant, in the form that `canonicalInstant` gives it. */
export const Instant = InstantAsWritten.transform((text) => canonicalInstant(text) ?? text);

/** An instant, or empty text for none. */
export const InstantOrEmpty = z
  .string()
  .refine((text) => text === '' || canonicalInstant(text) !== undefined, `${instantMessage}, or empty`)
  .transform((text) => canonicalInstant(text) ?? text);

const isTimeZone = (name: string) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
};

export const TimeZone = z.string().max(100).refine(isTimeZone, 'must be an IANA name, such as Europe/Berlin');

/** An instant of an answer, in the form that `canonicalInstant` gives it. */
export const CanonicalInstant = z.string().describe('ISO-8601 instant');

/** The id of a record, as an earlier answer gave it. */
export const Id = z.string().min(1).max(textBounds.idCharacters);

/** One page of many: `nextCursor` of an answer is `cursor` of the next request. */
export const Cursor = z.string().max(200).optional().describe('nextCursor of the page before');
export const NextCursor = z.string().optional().describe('Present when there are more; send it as cursor');

export const Empty = z.strictObject({});

/** Parameters of a path with one id. */
export const byId = (meaning: string) => z.strictObject({ id: Id.describe(meaning) });

/** False for what could begin a line, steer a terminal, or turn the direction of the words around it. */
export const isOneLine = (text: string) => !/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u.test(text);

/** Emoji, and scripts such as Arabic and Devanagari, are written with joiners. */
const joiners =
  /(?<=\p{Extended_Pictographic}\uFE0F?|\p{Emoji_Modifier})\u200D|(?<=(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])[\p{L}\p{M}])[\u200C\u200D]/gu;

/** False also for characters that nobody sees: with them, two names could look the same. */
export const isPlainName = (text: string) =>
  isOneLine(text) && !/[\p{Cf}\u115F\u1160\u3164\uFFA0]/u.test(text.replaceAll(joiners, ''));

export const plainNameMessage = 'must be one line of plain text, without characters that cannot be seen';

/** The name of a person, and what people name. */
export const Name = z.string().trim().min(1).max(100).refine(isPlainName, plainNameMessage);

export const RoleField = z.enum(roles).describe('owner, admin, editor or viewer');

export const Person = z.object({
  id: z.string().describe('User id, prefix `usr_`'),
  name: z.string().describe('Name in the profile'),
});

export const Deleted = z
  .object({
    id: z.string().describe('What was deleted'),
    deleted: z.literal(true).describe('Always true: a refusal is answered as an error'),
  })
  .meta({ id: 'Deleted', description: 'It was deleted' });

export const Done = z
  .object({ done: z.literal(true).describe('Always true: a refusal is answered as an error') })
  .meta({ id: 'Done', description: 'It was done; there is nothing to return' });
