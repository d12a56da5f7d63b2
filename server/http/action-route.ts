import type { Request, Response } from 'express';
import type { Caller } from '#server/context';
import type { IdempotentAnswers } from '#server/idempotency/answers';
import { findAction, type RunnableAction } from '#server/run-action';
import { readJson } from './body.ts';
import { replyText } from './reply.ts';

/** `POST …/{action}`: one route and one look-up for all actions, for tokens as for people in the app. */
export const actionRoute =
  ({
    actions,
    identify,
    answers,
  }: {
    actions: ReadonlyMap<string, RunnableAction>;
    identify: (req: Request, res: Response) => Promise<Caller>;
    answers: IdempotentAnswers;
  }) =>
  async (req: Request<{ action: string }>, res: Response) => {
    const caller = await identify(req, res);
    const action = findAction(actions, req.params.action);
    const sent = await readJson(req);
    const input = action.parse(sent);
    const key = req.headers['idempotency-key'];
    const run = async () => JSON.stringify(await action.run(input, caller));
    const answer =
      typeof key === 'string' && action.action.kind === 'Write'
        ? await answers.once(caller, key, `${action.name} ${JSON.stringify(sent)}`, run)
        : await run();
    replyText(res, 200, answer);
  };
