import type { RequestHandler } from 'express';
import { bounds } from '#server/bounds';

/** For paths whose bodies are read by a library: one that comes too slowly is cut off. The server itself is patient, for uploads. */
export const patience =
  (ms: number = bounds.bodyPatienceMs): RequestHandler =>
  (req, _res, next) => {
    const tooSlow = setTimeout(() => req.destroy(), ms).unref();
    for (const over of ['end', 'close', 'error']) req.once(over, () => clearTimeout(tooSlow));
    next();
  };
