import type { RequestHandler } from 'express';
import { bounds } from '#server/base/bounds';

/** The bodies of these paths are read by libraries without a timeout, and the server's own is one hour, for uploads. */
const readByLibraries = /^\/(auth|sandbox)(\/|$)/;

/** Drops the connection of a client that sends its body too slowly. */
export const slowBodyTimeout =
  (ms: number = bounds.bodyTimeoutMs): RequestHandler =>
  (req, _res, next) => {
    if (readByLibraries.test(req.path)) {
      const timeout = setTimeout(() => req.destroy(), ms).unref();
      for (const event of ['end', 'close', 'error']) req.once(event, () => clearTimeout(timeout));
    }
    next();
  };
