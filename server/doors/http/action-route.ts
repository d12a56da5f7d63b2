import type { Request, Response } from 'express';
import { findAction, type RunnableAction } from '#server/agents/admission';
import type { AskInstead } from '#server/base/context';
import type { IdempotentAnswers } from '#server/base/idempotency/answers';
import { keyOf, markReplayed } from '#server/base/idempotency/header';
import type { Admit } from './app-routes.ts';
import { readJson } from './body.ts';
import { replyCompressed } from './reply.ts';

/** `POST …/{action}`: one route for all actions, for tokens and for people in the app. */
export const actionRoute =
  ({
    actions,
    askInstead,
    admit,
    answers,
  }: {
    actions: ReadonlyMap<string, RunnableAction>;
    askInstead: AskInstead;
    admit: Admit;
    answers: IdempotentAnswers;
  }) =>
  async (req: Request<{ action: string }>, res: Response) => {
    const { sender: caller, body } = await admit(req as Request, res, {
      read: async () => ({ action: findAction(actions, req.params.action), input: await readJson(req) }),
    });
    const { action, input } = body;
    const call = action.admit(input, caller);
    const asPerson = <Result>(work: () => Promise<Result>) =>
      askInstead({ caller, action: action.name, input: call.input, requestId: req.requestId }, work);
    const key = keyOf(req);
    if (key === undefined || action.action.kind !== 'Write') {
      const output = await asPerson(async () => action.run(await action.prepare(call)));
      return replyCompressed(res, 200, output.text);
    }
    const request = `${action.name} ${JSON.stringify(input)}`;
    const storedAnswer = await answers.find(caller, key, request);
    if (storedAnswer !== undefined) {
      markReplayed(res);
      return replyCompressed(res, 200, storedAnswer);
    }
    const { answer, replayed } = await asPerson(async () => {
      const prepared = await action.prepare(call);
      return answers.once(caller, key, request, async () => (await action.run(prepared)).text);
    });
    if (replayed) markReplayed(res);
    return replyCompressed(res, 200, answer);
  };
