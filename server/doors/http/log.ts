import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { HttpMetrics } from '#server/operation/metrics/metrics';

/** The next segment of these paths is a secret that grants access. */
const secretPath = /^(\/+(?:invitations|welcome|review|new-password|upload)\/+)[^/]+/i;

/** Kept few, because each is a label value in the metrics. */
const doors: readonly (readonly [start: string, door: string])[] = [
  ['/api/agent/', 'rest'],
  ['/mcp', 'mcp'],
  ['/api/media', 'media'],
  ['/media/', 'media'],
  ['/upload/', 'media'],
  ['/api/auth/', 'auth'],
  ['/auth/', 'auth'],
  ['/api/', 'app'],
  ['/healthz', 'operator'],
  ['/readyz', 'operator'],
  ['/metrics', 'operator'],
];

const doorOf = (path: string) => doors.find(([start]) => path.startsWith(start))?.[1] ?? 'page';

/** Counts and logs every request. Never logs headers, bodies, query strings or secrets in paths. */
export const logRequests = (log: Logger, metrics: HttpMetrics) => {
  const isSilent = !log.isLevelEnabled('info');
  return (req: IncomingMessage, res: ServerResponse, next: () => void) => {
    const startedMs = performance.now();
    const path = req.url?.split('?', 1)[0] ?? '';
    res.once('close', () => {
      const ms = Math.round((performance.now() - startedMs) * 10) / 10;
      const { statusCode: status, writableFinished: isComplete } = res;
      const isStream = res.getHeader('content-type')?.toString().startsWith('text/event-stream');
      const door = doorOf(path);
      metrics.answered(door, isComplete || isStream ? String(status) : 'cut', isStream ? undefined : ms);
      if (isSilent) return;
      const shownPath = path.replace(secretPath, '$1…');
      // Health probes arrive every few seconds.
      const level = door === 'operator' && status < 400 ? 'debug' : 'info';
      const fields = { requestId: req.requestId, method: req.method, path: shownPath, status, ms };
      log[level](isComplete ? fields : { ...fields, cut: true }, 'request');
    });
    next();
  };
};
