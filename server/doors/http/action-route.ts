import type { Request, Response } from 'express';
import { findAction, type RunnableAction, type RunOutcome } from '#server/agents/admission';
import type { RunOrAsk } from '#server/agents/run-or-ask';
import { DoneWithRequest, NeedsApproval } from '#server/base/approval';
import type { IdempotentAnswers } from '#server/base/idempotency/answers';
import { keyOf, markReplayed } from '#server/base/idempotency/header';
import { JsonText } from '#server/base/json/json-text';
import type { Admit } from './app-routes.ts';
import { mustBeRun } from './asked.ts';
import { readJson } from './body.ts';
import { replyCompressed } from './reply.ts';

/** `POST …/{action}`: one route for all actions, for tokens and for people in the app. */
export const actionRoute =
  ({
    actions,
    runOrAsk,
    admit,
    answers,
  }: {
    actions: ReadonlyMap<string, RunnableAction>;
    runOrAsk: RunOrAsk;
    admit: Admit;
    answers: IdempotentAnswers;
  }) =>
  async (req: Request<{ action: string }>, res: Response) => {
    const { sender: caller, body } = await admit(req as Request, res, {
      read: async () => ({ action: findAction(actions, req.params.action), input: await readJson(req) }),
    });
    const { action, input } = body;
    const { requestId } = req;
    const call = action.admit(input, caller);
    const key = keyOf(req);
    if (key === undefined || action.action.kind !== 'Write') {
      return replyCompressed(res, 200, mustBeRun(await runOrAsk(action, call, { requestId })).text);
    }
    const request = `${action.name} ${JSON.stringify(input)}`;
    const storedAnswer = await answers.find(caller, key, request);
    if (storedAnswer !== undefined) {
      markReplayed(res);
      return replyCompressed(res, 200, storedAnswer);
    }
    const once = async (run: () => Promise<RunOutcome>): Promise<RunOutcome> => {
      let outcome: RunOutcome | undefined;
      const stored = await answers.onceOr<NeedsApproval>(caller, key, request, async () => {
        outcome = await run();
        return outcome instanceof NeedsApproval ? outcome : textOf(outcome);
      });
      if (stored instanceof NeedsApproval) return stored;
      if (stored.replayed) markReplayed(res);
      return outcome ?? new JsonText(stored.answer);
    };
    const forget = () => answers.forget(caller, key);
    const { text } = mustBeRun(await runOrAsk(action, call, { requestId, once, forget }));
    return replyCompressed(res, 200, text);
  };

const textOf = (outcome: JsonText | DoneWithRequest) =>
  outcome instanceof DoneWithRequest ? outcome.output.text : outcome.text;
