import type { DoneOrAsked } from '#server/agents/run-or-ask';
import { Refusal } from '#server/base/errors';
import type { JsonText } from '#server/base/json/json-text';

/** Refuses a call that became a request, and says for whom it waits. */
export const mustBeRun = ({ done, asked }: DoneOrAsked): JsonText => {
  if (done) return done;
  const { message, approvalUrl: url } = asked;
  throw new Refusal('ApprovalRequired', message, [{ path: 'id', code: 'Asked', message, url }]);
};
