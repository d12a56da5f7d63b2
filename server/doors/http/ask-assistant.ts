import type { Request, Response } from 'express';
import { Question } from '#contracts/assistant';
import { parseInput } from '#server/agents/admission';
import type { Assistant } from '#server/agents/assistant/slice';
import { Refusal } from '#server/base/errors';
import type { WhoIsSignedIn } from '#server/base/signed-in';
import { callerIn, type Person } from './authenticate.ts';

/**
 * `POST /api/app/assistant/ask`: streams the answer as server-sent events and aborts it when the browser disconnects.
 */
export const askAssistant =
  ({ assistant, who }: { assistant: Assistant; who: WhoIsSignedIn }) =>
  async (req: Request, res: Response, { signedIn, caller }: Person) => {
    const question = parseInput(Question, req.body);
    const disconnect = new AbortController();
    res.once('close', () => disconnect.abort());
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
      signal: disconnect.signal,
    });
    res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
    // Read to the end even if the browser is gone: the chat is saved when the stream finishes.
    for await (const part of parts) if (res.writable) res.write(`data: ${JSON.stringify(part)}\n\n`);
    res.end('data: [DONE]\n\n');
  };
