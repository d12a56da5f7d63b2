import type { Request, Response } from 'express';
import { Question } from '#contracts/assistant';
import { parseInput } from '#server/admission';
import type { Assistant } from '#server/assistant/slice';
import { Refusal } from '#server/errors';
import type { WhoIsSignedIn } from '#server/signed-in';
import { callerIn, type Person } from './authenticate.ts';
import { readJson } from './body.ts';

/** `POST /api/app/assistant/ask`: the answer as server-sent events. A browser that goes away ends it. */
export const askAssistant =
  ({ assistant, who }: { assistant: Assistant; who: WhoIsSignedIn }) =>
  async (req: Request, res: Response, { signedIn, caller }: Person) => {
    const question = parseInput(Question, await readJson(req));
    const left = new AbortController();
    res.once('close', () => left.abort());
    const parts = await assistant.ask({
      caller,
      callerNow: async () => {
        const now = await who(req);
        if (now?.sessionId !== signedIn.sessionId || now.workspace?.id !== caller.workspaceId) {
          throw new Refusal('Forbidden', 'You are signed out, or another workspace is open. Nothing more is done.');
        }
        return callerIn(now);
      },
      question,
      requestId: req.requestId,
      signal: left.signal,
    });
    res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
    // All of it is read, also when nobody listens any more: the end of it is kept.
    for await (const part of parts) if (res.writable) res.write(`data: ${JSON.stringify(part)}\n\n`);
    res.end('data: [DONE]\n\n');
  };
