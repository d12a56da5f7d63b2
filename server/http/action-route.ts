import type { Request, Response } from 'express';
import type { IdempotentAnswers } from '#server/idempotency/answers';
import { findAction, type RunnableAction } from '#server/run-action';
import type { Authenticate } from './authenticate.ts';
import { readJson } from './body.ts';
import { reply } from './reply.ts';

/** `POST /api/agent/tools/{action}`: one route and one look-up for all actions. */
export const actionRoute =
  ({
    actions,
    authenticate,
    answers,
  }: {
    actions: ReadonlyMap<string, RunnableAction>;
    authenticate: Authenticate;
    answers: IdempotentAnswers;
  }) =>
  async (req: Request<{ action: string }>, res: Response) => {
    const { caller } = await authenticate(req, res);
    const action = findAction(actions, req.params.action);
    const sent = await readJson(req);
    const input = action.parse(sent);
    const key = req.headers['idempotency-key'];
    const answer =
      typeof key === 'string' && action.action.kind === 'Write'
        ? await answers.once(caller, key, `${action.name} ${JSON.stringify(sent)}`, () => action.run(input, caller))
        : await action.run(input, caller);
    reply(res, 200, answer);
  };
