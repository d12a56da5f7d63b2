import { findAction, type RunnableAction } from '#server/agents/admission';
import type { RunOrAsk } from '#server/agents/run-or-ask';
import type { Caller } from '#server/base/context';
import type { Imports } from '#server/planning/transfer/imports';

export type ScheduleImport = ReturnType<typeof createScheduleImport>;

/** Schedules each saved draft of an import for its suggested time, as a person does it one after the other. */
export const createScheduleImport = ({
  actions,
  runOrAsk,
  imports,
}: {
  actions: ReadonlyMap<string, RunnableAction>;
  runOrAsk: RunOrAsk;
  imports: Pick<Imports, 'scheduleEach'>;
}) => {
  const action = findAction(actions, 'posts.schedule');
  return async (caller: Caller, importId: string, { after }: { after: number }, requestId: string) => {
    let asked = 0;
    const step = await imports.scheduleEach(caller, importId, { after }, async (post) => {
      const outcome = await runOrAsk(action, action.admit(post, caller), { requestId });
      if (outcome.asked) asked++;
    });
    return { ...step, asked };
  };
};
