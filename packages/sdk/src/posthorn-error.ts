import type { ErrorCode, Issue } from './generated/types.ts';

export interface ErrorDetails<Code extends ErrorCode> {
  code: Code;
  status: number;
  message: string;
  issues: Issue[];
  requestId: string | undefined;
  headers: Headers;
}

/** A program may load the ESM and the CommonJS copy of this package: these brands recognise errors of both. */
const brand = Symbol.for('posthorn-sdk.error');
const answerBrand = Symbol.for('posthorn-sdk.api-error');

/** Every error of this package. What only an answer of the server has is undefined for the others: see ApiError. */
export class PosthornError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name: string = 'PosthornError';
  readonly [brand] = true;
  declare readonly code: Code | undefined;
  declare readonly status: number | undefined;
  declare readonly issues: Issue[] | undefined;
  declare readonly requestId: string | undefined;
  declare readonly headers: Headers | undefined;
  declare readonly retryAfterMs: number | undefined;

  /** For ApprovalRequired: the page of the app where a human can do it */
  get approvalUrl(): string | undefined {
    return this.code === 'ApprovalRequired' ? /https?:\/\/\S+?(?=[.,]?(?:\s|$))/.exec(this.message)?.[0] : undefined;
  }

  /** JSON.stringify would omit the message of an Error. */
  toJSON(): object {
    return { ...this, message: this.message };
  }
}

/** The server answered with an error. Branch on `code`, or on the class: there is one for each code. */
export class ApiError<Code extends ErrorCode = ErrorCode> extends PosthornError<Code> {
  override readonly name: string = 'ApiError';
  readonly [answerBrand] = true;
  override readonly code: Code;
  /** HTTP status of the answer */
  override readonly status: number;
  /** One entry per problem in the input or the post; empty for most codes */
  override readonly issues: Issue[];
  /** Quote it when you report a problem to the operator of the server */
  override readonly requestId: string | undefined;
  override readonly headers: Headers;
  /** How long the server asks you to wait before the next try, from `Retry-After` */
  override readonly retryAfterMs: number | undefined;

  constructor(details: ErrorDetails<Code>) {
    super(details.message);
    this.code = details.code;
    this.status = details.status;
    this.issues = details.issues;
    this.requestId = details.requestId;
    this.headers = details.headers;
    this.retryAfterMs = retryAfterMs(details.headers);
  }

  /** Without the headers. */
  override toJSON(): object {
    const { name, code, status, message, issues, requestId } = this;
    return { name, code, status, message, issues, requestId };
  }
}

const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .+\d{2}:\d{2}:\d{2}/;

/** `Retry-After` in milliseconds: the header holds seconds or a date. */
const retryAfterMs = (headers: Headers): number | undefined => {
  const value = (headers.get('retry-after') ?? '').trim();
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value) * 1000;
  const wait = httpDate.test(value) ? Date.parse(value) - Date.now() : Number.NaN;
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
};

/** No answer arrived; `cause` says why. Whether the server saw the request is unknown. */
export class ConnectionError extends PosthornError {
  override readonly name: string = 'ConnectionError';
}

/** No complete answer arrived within `timeoutMs`. */
export class TimeoutError extends ConnectionError {
  override readonly name: string = 'TimeoutError';
}

const hasBrand = (error: unknown, symbol: symbol): boolean =>
  typeof error === 'object' && error !== null && symbol in error;

/** True for an error answer of the server; with a code, only for that one. */
export const isApiError = <Code extends ErrorCode = ErrorCode>(error: unknown, code?: Code): error is ApiError<Code> =>
  hasBrand(error, answerBrand) && (code === undefined || (error as ApiError).code === code);

interface IsPosthornError {
  (error: unknown): error is PosthornError;
  <Code extends ErrorCode>(error: unknown, code: Code): error is ApiError<Code>;
}

/** True for every error of this package; with a code, for an answer of the server with this code. */
export const isPosthornError: IsPosthornError = ((error: unknown, code?: ErrorCode) =>
  code === undefined ? hasBrand(error, brand) : isApiError(error, code)) as IsPosthornError;

export type ErrorClasses = { [Code in ErrorCode]: new (details: ErrorDetails<Code>) => ApiError<Code> };

/** For answers of a proxy, which do not have the shape of this API: the code follows from the status. */
const codeOfStatus = (status: number): ErrorCode => {
  switch (status) {
    case 401:
      return 'Unauthorized';
    case 402:
      return 'PlanLimit';
    case 403:
      return 'Forbidden';
    case 409:
      return 'Conflict';
    case 429:
      return 'TooManyRequests';
  }
  // A redirect (status 0 in browsers) or 404: baseUrl is not the address of the API.
  if (status === 404 || status < 200 || (status >= 300 && status < 400)) return 'NotFound';
  return status >= 400 && status < 500 ? 'BadInput' : 'Internal';
};

const messageOf = (response: Response): string => {
  const location = response.headers.get('location');
  const answer = `${response.status} ${response.statusText}`.trim();
  if (location !== null) return `The server answered ${answer}, a redirect to ${location}: correct baseUrl`;
  return `The server answered ${answer}, and not in the shape of this API: a proxy, or a wrong baseUrl?`;
};

const isCode = (classes: ErrorClasses, code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(classes, code);

export const errorFrom = (classes: ErrorClasses, response: Response, body: unknown): ApiError => {
  const { code, message, issues } = (body ?? {}) as { code?: unknown; message?: unknown; issues?: unknown };
  const errorCode = isCode(classes, code) ? code : codeOfStatus(response.status);
  const ErrorClass = classes[errorCode] as new (details: ErrorDetails<ErrorCode>) => ApiError;
  return new ErrorClass({
    code: errorCode,
    status: response.status,
    message: typeof message === 'string' ? message : messageOf(response),
    issues: Array.isArray(issues) ? issues : [],
    requestId: response.headers.get('x-request-id') ?? undefined,
    headers: response.headers,
  });
};
