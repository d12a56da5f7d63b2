import type { Request, RequestHandler, Response } from 'express';
import { instantOf } from '#contracts/instant';
import type { Clock } from '#server/base/clock';

export interface LoggedRequest {
  /** Grows by one with every request, even across a reset. */
  readonly number: number;
  readonly network: string;
  readonly method: string;
  /** Relative to the address of the network, and begins with the name of the host: `/api/2/tweets`. */
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly at: string;
  /** Null while there is no answer, and for good when the connection ended without one. */
  readonly status: number | null;
  readonly contentType?: string;
  /** JSON, or the fields of a form; absent for files and for long bodies. */
  readonly body?: unknown;
}

export interface Filter {
  readonly network?: string | undefined;
  readonly sinceMs?: number | undefined;
}

const longestBody = 10_000;

export type RequestLog = ReturnType<typeof createRequestLog>;

/** What arrived at the twins. The oldest requests are dropped. */
export const createRequestLog = ({
  networks,
  clock,
  keep,
}: {
  networks: readonly string[];
  clock: Clock;
  keep: number;
}) => {
  let count = 0;
  let dropped = 0;
  let entries: { read: () => LoggedRequest }[] = [];

  /** For `/sandbox/:network`. */
  const record: RequestHandler<{ network: string }> = (req, res, next) => {
    const { network } = req.params;
    if (!networks.includes(network)) return next();
    const { method, path } = req;
    const arrival = { number: ++count, network, method, path, query: { ...req.query }, at: instantOf(clock.now()) };
    // Read the status late: a caller that has its response may ask for the list before that response is closed here.
    const entry = { read: (): LoggedRequest => ({ ...arrival, ...describe(req, res) }) };
    entries.push(entry);
    if (entries.length > keep) {
      entries.shift();
      dropped += 1;
    }
    res.once('close', () => {
      const last = entry.read();
      entry.read = () => last;
    });
    next();
  };

  return {
    record,

    /** Newest first. */
    list: ({ network, sinceMs = 0 }: Filter) =>
      entries
        .map(({ read }) => read())
        .filter((entry) => (network === undefined || entry.network === network) && Date.parse(entry.at) >= sinceMs)
        .reverse(),

    /** Since the last reset. */
    dropped: () => dropped,

    clear: () => {
      entries = [];
      dropped = 0;
    },
  };
};

const describe = (req: Request<{ network: string }>, res: Response) => {
  const contentType = req.headers['content-type'];
  const body = shortBody(req.body);
  return {
    status: res.headersSent ? res.statusCode : null,
    ...(contentType !== undefined && { contentType }),
    ...(body !== undefined && { body }),
  };
};

const shortBody = (body: unknown) =>
  body !== undefined && JSON.stringify(body).length <= longestBody ? body : undefined;
