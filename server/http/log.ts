import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';

/** What follows is a secret: whoever has it gets in. */
const secretPath = /^(\/+(?:invitations|welcome|review)\/+)[^/]+/i;

/** One line a request, with its id. Neither headers, bodies, query strings nor secrets in paths. */
export const logRequests = (log: Logger) => {
  const silent = !log.isLevelEnabled('info');
  return (req: IncomingMessage, res: ServerResponse, next: () => void) => {
    if (silent) return next();
    const begun = performance.now();
    const path = req.url?.split('?', 1)[0]?.replace(secretPath, '$1…');
    res.once('close', () => {
      const ms = Math.round((performance.now() - begun) * 10) / 10;
      const fields = { requestId: req.requestId, method: req.method, path, status: res.statusCode, ms };
      log.info(res.writableFinished ? fields : { ...fields, cut: true }, 'request');
    });
    next();
  };
};
