import type { RequestHandler } from 'express';
import { bounds } from '#server/bounds';

/** Libraries read the bodies of these paths and never time out. The server itself has no short timeout, for uploads. */
const readByLibraries = /^\/(auth|sandbox)(\/|$)/;

/** A body that comes too slowly is cut off. */
export const patience =
  (ms: number = bounds.bodyPatienceMs): RequestHandler =>
  (req, _res, next) => {
    if (readByLibraries.test(req.path)) {
      const tooSlow = setTimeout(() => req.destroy(), ms).unref();
      for (const over of ['end', 'close', 'error']) req.once(over, () => clearTimeout(tooSlow));
    }
    next();
  };
