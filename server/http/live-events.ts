import type { Request, Response } from 'express';
import { badInput } from '#server/errors';
import type { Live } from '#server/live/open-tabs';
import type { SignedIn, WhoIsSignedIn } from '#server/signed-in';
import { mustBeOpen, type Person, workspaceHeader } from './authenticate.ts';

const heartbeatMs = 25_000;
const mostWaitingBytes = 1024 * 1024;
/** How soon a browser connects again. */
const retryMs = 1000;

/** Why a stream is ended for good. A browser that connects again is refused. */
const reasons = {
  SignedOut: 'You are signed out. Sign in again.',
  Removed: 'You are no longer a member of this workspace.',
  Switched: 'Another workspace was opened in this browser.',
} as const;

/**
 * `GET /api/app/events`: server-sent events for open tabs. A comment now and then keeps proxies from closing it, and
 * whoever lost their access hears nothing more.
 */
export const liveEvents =
  ({ live, who, report }: { live: Live; who: WhoIsSignedIn; report: (error: unknown) => void }) =>
  (req: Request, res: Response, { signedIn, caller: { workspaceId, userId } }: Person) => {
    // An EventSource sends no header of ours.
    mustBeOpen(signedIn, only(req.query.workspace, 'workspace') ?? req.get(workspaceHeader));
    live.mayHear(userId);
    const after = req.get('last-event-id') ?? only(req.query.last, 'last');
    res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
    // An event without a name: the app keeps its id, so that it can say where it was before it has heard anything.
    res.write(`retry: ${retryMs}\n${after === undefined ? `id: ${live.last()}\ndata: {}\n` : ''}\n`);

    const write = (text: string) => {
      // Bounds the memory for a browser that reads nothing; it can connect again.
      if (res.writableLength > mostWaitingBytes) res.destroy();
      else res.write(text);
    };
    const end = (lastWords = '') => {
      stopListening();
      if (!res.writableEnded) res.end(lastWords);
    };

    const lookAgain = async () => {
      const reason = whyOver(await who(req), signedIn.sessionId, workspaceId);
      if (reason !== undefined) end(`event: ended\ndata: ${JSON.stringify({ reason, text: reasons[reason] })}\n\n`);
    };
    const lookSafely = () => void lookAgain().catch(report);

    const forget = live.hear({
      workspaceId,
      userId,
      after,
      hear: ({ eventId, kind, id, text }) =>
        write(`id: ${eventId}\nevent: ${kind}\ndata: ${JSON.stringify({ id, text })}\n\n`),
      lookAgain: lookSafely,
      end,
    });
    const heartbeat = setInterval(() => {
      write(': still here\n\n');
      lookSafely();
    }, heartbeatMs);
    const stopListening = () => {
      clearInterval(heartbeat);
      forget();
    };
    res.once('close', stopListening);
    // Access may have ended between the check above and now.
    lookSafely();
  };

const whyOver = (
  now: SignedIn | undefined,
  sessionId: string,
  workspaceId: string,
): keyof typeof reasons | undefined => {
  if (now?.sessionId !== sessionId) return 'SignedOut';
  if (now.workspace === undefined) return 'Removed';
  return now.workspace.id === workspaceId ? undefined : 'Switched';
};

const only = (value: unknown, path: string) => {
  if (value !== undefined && typeof value !== 'string') {
    throw badInput({ path, code: 'WrongType', message: 'must be given once' });
  }
  return value;
};
