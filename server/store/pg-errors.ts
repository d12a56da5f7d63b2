interface Trouble {
  readonly code?: string;
  readonly message?: string;
  readonly cause?: unknown;
  /** Where Sequelize keeps what pg said. */
  readonly parent?: unknown;
}

/** Nobody listens there, or the server is starting, stopping or restarting. */
const awayCodes =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ENOENT|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|57P0[123]|08\w{3})$/;
const awayWords = /^(Connection terminated|timeout expired|Client has encountered a connection error)/;

/** The server has no connection left for us. */
const fullCodes = /^53300$/;

/** The disk is full, the server is a standby, or a file cannot be written. */
const unwritableCodes = /^(53100|25006|58030)$/;

/** Somebody else holds a lock for longer than a statement was willing to wait, or waits for ours. */
const lockedCodes = /^(55P03|40P01)$/;

/** A migration changed what a prepared statement answers, or a pooler has dropped it. */
const staleCodes = /^(0A000|26000)$/;

/** Whether it is worth another try in a moment. */
export const isAway = (error: unknown) =>
  chainOf(error).some(({ code = '', message = '' }) => awayCodes.test(code) || awayWords.test(message)) ||
  isFull(error) ||
  isLocked(error);

export const isFull = (error: unknown) => chainOf(error).some(({ code = '' }) => fullCodes.test(code));

export const isLocked = (error: unknown) => chainOf(error).some(({ code = '' }) => lockedCodes.test(code));

export const isUnwritable = (error: unknown) => chainOf(error).some(({ code = '' }) => unwritableCodes.test(code));

/** The connection has prepared something that no longer holds. */
export const isStale = (error: unknown) => chainOf(error).some(({ code = '' }) => staleCodes.test(code));

/** A migration that brings it has not run yet. */
export const isColumnMissing = (error: unknown) => chainOf(error).some(({ code }) => code === '42703');

/** The same for a table or a column. */
export const isNotMigrated = (error: unknown) =>
  isColumnMissing(error) || chainOf(error).some(({ code }) => code === '42P01');

/** What happened, in one line: for several addresses of a name Node leaves the message empty. */
export const messageOf = (error: unknown) => {
  const [first, ...rest] = chainOf(error);
  const { message, code } = [first, ...rest].find((one) => one?.message) ?? first ?? {};
  return message || code || 'it does not answer';
};

const chainOf = (error: unknown): Trouble[] => {
  const chain: Trouble[] = [];
  for (
    let next = error;
    next instanceof Error && chain.length < 5;
    next = (next as Trouble).cause ?? (next as Trouble).parent
  ) {
    chain.push(next as Trouble);
  }
  return chain;
};
