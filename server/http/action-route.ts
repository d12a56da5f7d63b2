import type { Request, Response } from 'express';
import { findAction, type RunnableAction } from '#server/admission';
import type { IdempotentAnswers } from '#server/idempotency/answers';
import { keyOf, markReplayed } from '#server/idempotency/header';
import type { Identify } from './app-routes.ts';
import { readJson } from './body.ts';
import { replyCompressed } from './reply.ts';

/** `POST …/{action}`: one route for all actions, for tokens and for people in the app. */
export const actionRoute =
  ({
    actions,
    identify,
    answers,
  }: {
    actions: ReadonlyMap<string, RunnableAction>;
    identify: Identify;
    answers: IdempotentAnswers;
  }) =>
  async (req: Request<{ action: string }>, res: Response) => {
    const caller = await identify(req, res);
    const action = findAction(actions, req.params.action);
    const input = await readJson(req);
    const call = action.admit(input, caller);
    const key = keyOf(req);
    if (key === undefined || action.action.kind !== 'Write') {
      return replyCompressed(res, 200, (await action.run(await action.prepare(call))).text);
    }
    const request = `${action.name} ${JSON.stringify(input)}`;
    const storedAnswer = await answers.find(caller, key, request);
    if (storedAnswer !== undefined) {
      markReplayed(res);
      return replyCompressed(res, 200, storedAnswer);
    }
    const prepared = await action.prepare(call);
    const { answer, replayed } = await answers.once(
      caller,
      key,
      request,
      async () => (await action.run(prepared)).text,
    );
    if (replayed) markReplayed(res);
    return replyCompressed(res, 200, answer);
  };
