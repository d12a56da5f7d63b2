import type { RequestHandler } from 'express';
import { stopping } from '#server/base/errors';
import type { Health } from './health.ts';
import { replyUnavailable } from './reply.ts';

/**
 * What tells others about the stop, and what sends in progress still need: networks fetch files, and the simulated ones are
 * served here. A stream of an open tab ends at once and tells the tab to reconnect.
 */
const served = /^\/(healthz|readyz|metrics|api\/app\/events)$|^\/(sandbox|media)\//;

/** Another instance takes what arrives after the process was told to stop. */
export const refuseWhileStopping =
  ({ isStopping }: Pick<Health, 'isStopping'>): RequestHandler =>
  (req, res, next) => {
    if (!isStopping() || served.test(req.path)) return next();
    // The client may not have sent its body yet, and reads the answer only afterwards.
    req.resume();
    res.setHeader('connection', 'close');
    replyUnavailable(req, res, stopping());
  };
