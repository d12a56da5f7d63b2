import type { z } from 'zod';
import { type ErrorBody, type ErrorCode, errors, type Issue } from '#contracts/errors';

/** A rule says no. Rules throw it, doors translate it once. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ErrorCode;
  readonly issues: Issue[];
  readonly status: number;
  /** For TooManyRequests: what `Retry-After` says. */
  retryAfterSeconds?: number;

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
  new Refusal('BadInput', `${issues[0].path}: ${issues[0].message}`, issues);

export const notFound = (what: string, id: string) =>
  new Refusal('NotFound', `There is no ${what} with id ${id} here.`);

/** The door a fault goes out of: the caller learns that it happened, the log learns why. */
export const internal = () =>
  new Refusal('Internal', 'Something went wrong on the server. Try again later and quote the x-request-id.');

/** zod's findings in the words of our contract. */
export const issuesOf = (error: z.ZodError, input: unknown): [Issue, ...Issue[]] => {
  const issues = error.issues.flatMap((issue) => toIssues(issue, input));
  const [first = { path: 'body', code: 'Invalid', message: 'is not valid' }, ...rest] = issues;
  return [first, ...rest];
};

const toIssues = (issue: z.core.$ZodIssue, input: unknown): Issue[] => {
  const path = dotted(issue.path);
  const { message } = issue;
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        path: dotted([...issue.path, key]),
        code: 'UnknownField',
        message: 'is not a field of this input',
      }));
    case 'invalid_type':
      return valueAt(input, issue.path) === undefined
        ? [{ path, code: 'Required', message: 'is required' }]
        : [{ path, code: 'WrongType', message: `must be ${article(issue.expected)}` }];
    case 'too_big':
      return [{ path, code: 'TooBig', message, limit: Number(issue.maximum) }];
    case 'too_small':
      return [{ path, code: 'TooSmall', message, limit: Number(issue.minimum) }];
    case 'invalid_value':
      return [{ path, code: 'UnknownValue', message: `must be one of ${issue.values.join(', ')}` }];
    case 'invalid_format':
    case 'invalid_union':
    case 'custom':
      return [{ path, code: 'BadFormat', message }];
    default:
      return [{ path, code: 'Invalid', message }];
  }
};

const dotted = (path: readonly PropertyKey[]) => (path.length === 0 ? 'body' : path.map(String).join('.'));

const article = (type: string) => (/^[aeio]/.test(type) ? `an ${type}` : `a ${type}`);

const valueAt = (input: unknown, path: readonly PropertyKey[]) =>
  path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], input);
