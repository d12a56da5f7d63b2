interface PgError {
  readonly code?: string;
  readonly message?: string;
  readonly cause?: unknown;
  /** Sequelize puts the error of pg here. */
  readonly parent?: unknown;
}

/** The server is not reachable, is starting, stopping or restarting, or ended an idle transaction (25P03). */
const unavailableCodes =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ENOENT|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|57P0[123]|25P03|08\w{3})$/;
const unavailableMessages = /^(Connection terminated|timeout expired|Client has encountered a connection error)/;

/** The server has no free connection. */
const fullCodes = /^53300$/;

/** The disk is full, the server is a standby, or a file cannot be written. */
const unwritableCodes = /^(53100|25006|58030)$/;

const readOnlyCode = '25006';
/** The role lacks a privilege. */
const forbiddenCode = '42501';

/** A lock timeout or a deadlock. */
const lockedCodes = /^(55P03|40P01)$/;

/** A migration changed the result of a prepared statement, or a pooler dropped it. */
const staleCodes = /^(0A000|26000)$/;

/** Whether a retry in a moment may succeed. */
export const isUnavailable = (error: unknown) =>
  chainOf(error).some(
    ({ code = '', message = '' }) => unavailableCodes.test(code) || unavailableMessages.test(message),
  ) ||
  isFull(error) ||
  isLocked(error);

export const isFull = (error: unknown) => chainOf(error).some(({ code = '' }) => fullCodes.test(code));

export const isLocked = (error: unknown) => chainOf(error).some(({ code = '' }) => lockedCodes.test(code));

export const isUnwritable = (error: unknown) => chainOf(error).some(({ code = '' }) => unwritableCodes.test(code));

export const isReadOnly = (error: unknown) => codesOf(error).includes(readOnlyCode);

export const isForbidden = (error: unknown) => codesOf(error).includes(forbiddenCode);

/** A prepared statement of the connection is no longer valid. */
export const isStale = (error: unknown) => chainOf(error).some(({ code = '' }) => staleCodes.test(code));

/** The pool was closed, because the process stops. */
export const isClosed = (error: unknown) => chainOf(error).some(({ message }) => message === closedMessage);

const closedMessage = 'Cannot use a pool after calling end on the pool';

/** The column or table is missing. */
const missingCodes = /^(42703|42P01)$/;

/** The migration that adds the table or column has not run yet. */
export const isNotMigrated = (error: unknown) => chainOf(error).some(({ code = '' }) => missingCodes.test(code));

/** The first message in the chain of causes: Node leaves it empty when a host name has several addresses. */
export const messageOf = (error: unknown) => {
  const [first, ...rest] = chainOf(error);
  const { message, code } = [first, ...rest].find((one) => one?.message) ?? first ?? {};
  return (message === connectTimeout ? '' : message || code) || 'it does not answer';
};

/** What pg says when a connection takes too long to open. */
const connectTimeout = 'timeout expired';

export const codesOf = (error: unknown) => chainOf(error).flatMap(({ code }) => code ?? []);

const chainOf = (error: unknown): PgError[] => {
  const chain: PgError[] = [];
  for (
    let next = error;
    next instanceof Error && chain.length < 5;
    next = (next as PgError).cause ?? (next as PgError).parent
  ) {
    chain.push(next as PgError);
  }
  return chain;
};
