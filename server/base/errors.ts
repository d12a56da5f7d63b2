import type { z } from 'zod';
import type { Approval } from '#contracts/define';
import { type ErrorBody, type ErrorCode, errors, type Issue } from '#contracts/errors';
import { bounds } from '#server/base/bounds';

/** A rule refuses the request. Rules throw it; each entry point turns it into a response in one place. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ErrorCode;
  readonly issues: Issue[];
  readonly status: number;
  /** The value of `Retry-After`, when a later attempt can succeed. */
  retryAfterSeconds?: number;
  /** Conflict: the same request can succeed later, without any change to its subject. */
  isTemporary?: boolean;

  constructor(code: ErrorCode, message: string, issues: Issue[] = [], status: number = errors[code].status) {
    super(message);
    this.code = code;
    this.issues = issues;
    this.status = status;
  }

  get body(): ErrorBody {
    return { code: this.code, message: this.message, issues: this.issues };
  }
}

/** BadInput with one entry per broken field; the message names the first (SPEC, Run an action). */
export const badInput = (...issues: [Issue, ...Issue[]]) =>
  new Refusal('BadInput', `${issues[0].path} ${issues[0].message}`, issues);

export const temporaryConflict = (message: string) =>
  Object.assign(new Refusal('Conflict', message), { isTemporary: true });

/** This process takes no new work, and ends what it does. Another one, or the next start, takes the same request. */
export const stopping = () =>
  Object.assign(new Refusal('Internal', 'Posthorn is stopping or restarting. Send this again in a moment.', [], 503), {
    retryAfterSeconds: 1,
  });

export const notFound = (what: string, id: string) =>
  new Refusal('NotFound', `There is no ${what} with id ${id} here.`);

/** The caller learns only that the server failed; the log has the cause. */
export const internal = () =>
  new Refusal('Internal', 'Something went wrong on the server. Try again later and quote the x-request-id.');

/** zod's issues in our wording, cut at `bounds.issues`. */
export const issuesOf = (error: z.ZodError, input: unknown): [Issue, ...Issue[]] => {
  const issues: Issue[] = [];
  for (const issue of error.issues) {
    if (issues.length >= bounds.issues) break;
    issues.push(...toIssues(issue, input));
  }
  const [first = { path: 'body', code: 'Invalid', message: 'is not valid' }, ...rest] = issues.slice(0, bounds.issues);
  return [first, ...rest];
};

const toIssues = (issue: z.core.$ZodIssue, input: unknown): Issue[] => {
  const path = toDottedPath(issue.path);
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.slice(0, bounds.issues).map((key) => ({
        path: toDottedPath([...issue.path, key]),
        code: 'UnknownField',
        message: 'is not a field of this input',
      }));
    case 'invalid_type':
      return valueAt(input, issue.path) === undefined
        ? [{ path, code: 'Required', message: 'is required' }]
        : [
            {
              path,
              code: 'WrongType',
              message: ownMessage(issue) ?? `must be ${typeNames[issue.expected] ?? issue.expected}`,
            },
          ];
    case 'too_big':
      return [
        {
          path,
          code: 'TooBig',
          message: `must ${describeLimit(issue.origin, 'at most', Number(issue.maximum))}`,
          limit: Number(issue.maximum),
        },
      ];
    case 'too_small':
      return [
        {
          path,
          code: 'TooSmall',
          message: `must ${describeLimit(issue.origin, 'at least', Number(issue.minimum))}`,
          limit: Number(issue.minimum),
        },
      ];
    case 'invalid_value':
      return [{ path, code: 'UnknownValue', message: `must be one of ${issue.values.join(', ')}` }];
    case 'invalid_key':
      return issue.issues
        .slice(0, 1)
        .flatMap((inner) => toIssues({ ...inner, path: [] }, input))
        .map(({ code, message }) => ({ path, code, message: `has a name that ${message}` }));
    case 'custom':
      return [{ path, code: 'BadFormat', message: issue.message }];
    case 'invalid_format':
    case 'invalid_union':
      return [{ path, code: 'BadFormat', message: ownMessage(issue) ?? 'does not have the required format' }];
    default:
      return [{ path, code: 'Invalid', message: 'is not valid' }];
  }
};

/** The contract's own message; undefined if it is one of zod's defaults. */
const ownMessage = ({ message }: z.core.$ZodIssue) =>
  /^(Invalid|Too|Unrecognized)\b/.test(message) ? undefined : message;

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

const describeLimit = (origin: string, comparison: 'at most' | 'at least', limit: number) => {
  if (origin === 'string')
    return limit === 1 && comparison === 'at least' ? 'not be empty' : `have ${comparison} ${limit} characters`;
  if (origin === 'array') return `have ${comparison} ${limit === 1 ? 'one entry' : `${limit} entries`}`;
  return `be ${comparison} ${limit}`;
};

const maxPathCharacters = 200;

/** Senders choose the names of unknown fields, so they can have any length. */
const toDottedPath = (path: readonly PropertyKey[]) =>
  path.length === 0
    ? 'body'
    : path
        .map((key) => String(key).slice(0, maxPathCharacters))
        .join('.')
        .slice(0, maxPathCharacters)
        .toWellFormed();

const valueAt = (input: unknown, path: readonly PropertyKey[]) =>
  path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], input);

/** The page of the app where a human performs an action that needs approval. */
export const pageOf = (baseUrl: string, subject: Approval['subject'] | undefined, id: unknown) =>
  subject === 'post'
    ? `${baseUrl}/posts/${encodeURIComponent(String(id))}`
    : `${baseUrl}/${subject === 'media' ? 'media' : 'accounts'}`;
