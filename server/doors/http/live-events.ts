import type { Request, Response } from 'express';
import { badInput } from '#server/base/errors';
import type { Live } from '#server/base/live/live';
import type { SignedIn, WhoIsSignedIn } from '#server/base/signed-in';
import { mustBeOpenWorkspace, type Person, workspaceHeader } from './authenticate.ts';

const heartbeatMs = 25_000;
const maxBufferedBytes = 1024 * 1024;
/** How soon a browser reconnects. */
const retryMs = 1000;

/** Why the server ends a stream for good. Reconnecting is refused. */
const reasons = {
  SignedOut: 'You are signed out. Sign in again.',
  Removed: 'You are no longer a member of this workspace.',
  Switched: 'Another workspace was opened in this browser.',
  LacksFactor: 'This workspace asks its members for two factors.',
} as const;

/**
 * `GET /api/app/events`: server-sent events for open tabs. A regular comment keeps proxies from closing the stream, and
 * the same timer ends it for people who lost their access.
 */
export const liveEvents =
  ({ live, who, report }: { live: Live; who: WhoIsSignedIn; report: (error: unknown) => void }) =>
  (req: Request, res: Response, { signedIn, caller: { workspaceId, userId } }: Person) => {
    // An EventSource cannot send our header, so the app puts the workspace into the query.
    mustBeOpenWorkspace(signedIn, single(req.query.workspace, 'workspace') ?? req.get(workspaceHeader));
    // The tab closed during authentication: `close` was emitted before we listen for it.
    if (res.destroyed) return;
    live.mustAllowStream(userId);
    const after = req.get('last-event-id') ?? single(req.query.last, 'last');
    res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
    // A first event that only carries an id: if the stream breaks before any real event, the app resumes from there.
    res.write(`retry: ${retryMs}\n${after === undefined ? `id: ${live.lastEventId()}\ndata: {}\n` : ''}\n`);

    const write = (text: string) => {
      // Bounds the memory for a browser that does not read; it can reconnect.
      if (res.writableLength > maxBufferedBytes) res.destroy();
      else res.write(text);
    };
    const end = (finalEvent = '') => {
      stopListening();
      if (!res.writableEnded) res.end(finalEvent);
    };

    const checkAccess = async () => {
      const reason = whyEnded(await who(req), signedIn.sessionId, workspaceId);
      if (reason !== undefined) end(`event: ended\ndata: ${JSON.stringify({ reason, text: reasons[reason] })}\n\n`);
    };
    const recheckAccess = () => void checkAccess().catch(report);

    const unsubscribe = live.subscribe({
      workspaceId,
      userId,
      after,
      receive: ({ eventId, kind, id, text, steps }) => {
        // Progress events are not stored, so a stream cannot resume after one. Send it without an id.
        const position = kind === 'progress' ? '' : `id: ${eventId}\n`;
        write(`${position}event: ${kind}\ndata: ${JSON.stringify({ id, text, steps })}\n\n`);
      },
      recheckAccess,
      end,
    });
    const heartbeat = setInterval(() => {
      write(': still here\n\n');
      recheckAccess();
    }, heartbeatMs);
    const stopListening = () => {
      clearInterval(heartbeat);
      unsubscribe();
    };
    res.once('close', stopListening);
    // Access may have ended between the check above and now.
    recheckAccess();
  };

const whyEnded = (
  now: SignedIn | undefined,
  sessionId: string,
  workspaceId: string,
): keyof typeof reasons | undefined => {
  if (now?.sessionId !== sessionId) return 'SignedOut';
  if (now.workspace === undefined) return 'Removed';
  if (now.workspace.id !== workspaceId) return 'Switched';
  return now.workspace.lacksFactor ? 'LacksFactor' : undefined;
};

const single = (value: unknown, path: string) => {
  if (value !== undefined && typeof value !== 'string') {
    throw badInput({ path, code: 'WrongType', message: 'must be given once' });
  }
  return value;
};
