import type { Request, Response } from 'express';
import type { Caller } from '#server/context';
import type { Live } from '#server/live/live';

const heartbeatMs = 25_000;

/** `GET /api/app/events`: server-sent events for open tabs. A comment now and then keeps proxies from closing it. */
export const liveEvents =
  ({ live, whenStopping }: { live: Live; whenStopping: (end: () => void) => () => void }) =>
  (_req: Request, res: Response, { workspaceId }: Caller) => {
    res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
    res.write(': hello\n\n');
    const stop = live.hear(workspaceId, ({ kind, id, text }) => {
      res.write(`event: ${kind}\ndata: ${JSON.stringify({ id, text })}\n\n`);
    });
    const heartbeat = setInterval(() => res.write(': still here\n\n'), heartbeatMs);
    // The browser comes again by itself, to this instance when it is back or to another.
    const goOn = whenStopping(() => res.end());
    res.once('close', () => {
      goOn();
      clearInterval(heartbeat);
      stop();
    });
  };
