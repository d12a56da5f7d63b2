import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { HttpMetrics } from '#server/metrics/metrics';

/** What follows is a secret: whoever has it gets in. */
const secretPath = /^(\/+(?:invitations|welcome|review|new-password)\/+)[^/]+/i;

/** Where a request came in; few, so that each can have its own line in a graph. */
const doors: readonly (readonly [start: string, door: string])[] = [
  ['/api/agent/', 'rest'],
  ['/mcp', 'mcp'],
  ['/api/media', 'media'],
  ['/media/', 'media'],
  ['/api/auth/', 'auth'],
  ['/auth/', 'auth'],
  ['/api/', 'app'],
  ['/healthz', 'operator'],
  ['/readyz', 'operator'],
  ['/metrics', 'operator'],
];

const doorOf = (path: string) => doors.find(([start]) => path.startsWith(start))?.[1] ?? 'page';

/** Counts every request, and logs one line for it with its id. Neither headers, bodies, query strings nor secrets in paths. */
export const logRequests = (log: Logger, metrics: HttpMetrics) => {
  const silent = !log.isLevelEnabled('info');
  return (req: IncomingMessage, res: ServerResponse, next: () => void) => {
    const begun = performance.now();
    const path = req.url?.split('?', 1)[0] ?? '';
    res.once('close', () => {
      const ms = Math.round((performance.now() - begun) * 10) / 10;
      const { statusCode: status, writableFinished: isWhole } = res;
      const isStream = res.getHeader('content-type')?.toString().startsWith('text/event-stream');
      const door = doorOf(path);
      metrics.answered(door, isWhole || isStream ? String(status) : 'cut', isStream ? undefined : ms);
      if (silent) return;
      const shown = path.replace(secretPath, '$1…');
      // Probes ask every few seconds.
      const level = door === 'operator' && status < 400 ? 'debug' : 'info';
      const fields = { requestId: req.requestId, method: req.method, path: shown, status, ms };
      log[level](isWhole ? fields : { ...fields, cut: true }, 'request');
    });
    next();
  };
};
