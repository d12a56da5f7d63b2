import { type BulkChange, type BulkResult, bulkMoves, type PlannedMove } from '#contracts/bulk';
import type { Post } from '#contracts/posts';
import { findAction, type RunnableAction } from '#server/agents/admission';
import type { Asked, RunOrAsk } from '#server/agents/run-or-ask';
import { bounds } from '#server/base/bounds';
import { startStopwatch } from '#server/base/clock';
import type { Caller } from '#server/base/context';
import { badInput, Refusal } from '#server/base/errors';
import type { Bin } from '#server/planning/bin/bin';
import type { SlotQueue } from '#server/planning/slots/queue';
import type { Reading } from '#server/writing/posts/reading';
import { endOfDayBefore } from './day.ts';

export type Bulk = ReturnType<typeof createBulk>;

/** The same change for several posts. Each is made by the rules for a single post, in a transaction of its own. */
export const createBulk = ({
  actions,
  runOrAsk,
  reading,
  bin,
  slots,
}: {
  actions: ReadonlyMap<string, RunnableAction>;
  runOrAsk: RunOrAsk;
  reading: Reading;
  bin: Bin;
  slots: SlotQueue;
}) => {
  const run = async (caller: Caller, name: string, input: Record<string, unknown>, requestId: string) => {
    const action = findAction(actions, name);
    return (await runOrAsk(action, action.admit(input, caller), { requestId })).asked;
  };

  const update = (
    caller: Caller,
    post: Post,
    change: { accountIds?: string[]; scheduledAt?: string },
    requestId: string,
  ) => {
    const { id, accountIds, versions, scheduledAt = '', updatedAt } = post;
    const next = { accountIds, scheduledAt, ...change };
    return run(
      caller,
      'posts.update',
      {
        ...next,
        id,
        versions: versions.filter(({ accountId }) => !accountId || next.accountIds.includes(accountId)),
        baseUpdatedAt: updatedAt,
      },
      requestId,
    );
  };

  /** Applying a change twice is not an error, because a client repeats a request whose response was lost. */
  const change: Record<
    BulkChange,
    (caller: Caller, id: string, to: { at: string; accountId: string; requestId: string }) => Promise<Asked | undefined>
  > = {
    Delete: async (caller, id, { requestId }) => {
      const isDone = await bin.has(caller, id);
      return isDone ? undefined : run(caller, 'posts.delete', { id }, requestId);
    },

    Restore: async (caller, id) => {
      if ((await reading.many(caller, [id])).length === 0) await bin.restore(caller, id);
      return undefined;
    },

    Unschedule: async (caller, id, { requestId }) => {
      const { status } = await reading.get(caller, id);
      // Unscheduling a post that some accounts already have makes it Failed, not a draft.
      const isDone = status === 'Draft' || status === 'Failed';
      return isDone ? undefined : run(caller, 'unschedule', { id }, requestId);
    },

    Schedule: async (caller, id, { at, requestId }) => {
      const { status, scheduledAt } = await reading.get(caller, id);
      const isDone = status === 'Scheduled' && scheduledAt === at;
      return isDone ? undefined : run(caller, 'posts.schedule', { id, at }, requestId);
    },

    Move: async (caller, id, { at, requestId }) => {
      const post = await reading.get(caller, id);
      const isDone = (post.scheduledAt ?? '') === at;
      return isDone ? undefined : update(caller, post, { scheduledAt: at }, requestId);
    },

    AddAccount: async (caller, id, { accountId, requestId }) => {
      const post = await reading.get(caller, id);
      const isDone = post.accountIds.includes(accountId);
      return isDone ? undefined : update(caller, post, { accountIds: [...post.accountIds, accountId] }, requestId);
    },

    RemoveAccount: async (caller, id, { accountId, requestId }) => {
      const post = await reading.get(caller, id);
      const accountIds = post.accountIds.filter((one) => one !== accountId);
      const isDone = accountIds.length === post.accountIds.length;
      return isDone ? undefined : update(caller, post, { accountIds }, requestId);
    },
  };

  return {
    /** Ends early when the time of one request is up. */
    change: async (
      caller: Caller,
      kind: BulkChange,
      posts: readonly { readonly id: string; readonly at: string }[],
      accountId: string | undefined,
      requestId: string,
    ): Promise<BulkResult[]> => {
      if (kind.endsWith('Account') && accountId === undefined) {
        throw badInput({ path: 'accountId', code: 'Required', message: 'is required' });
      }
      const sinceBegun = startStopwatch();
      const results: BulkResult[] = [];
      for (const { id, at } of posts) {
        if (results.length > 0 && sinceBegun() > bounds.bulkStepMs) break;
        try {
          const asked = await change[kind](caller, id, { at, accountId: accountId ?? '', requestId });
          results.push(
            asked
              ? { id, done: false, asked: true, code: 'ApprovalRequired', message: asked.message }
              : { id, done: true },
          );
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          results.push({ id, done: false, code: error.code, message: error.message });
        }
      }
      return results;
    },

    plan: async (caller: Caller, ids: readonly string[], day: string, timeZone: string): Promise<PlannedMove[]> => {
      const posts = (await reading.many(caller, ids.slice(0, bulkMoves))).toSorted(byTime);
      const moves: PlannedMove[] = [];
      let after = endOfDayBefore(day, timeZone);
      for (const post of posts) {
        const { id, accountIds, scheduledAt } = post;
        const before = scheduledAt !== undefined && { before: scheduledAt };
        const problem = problemOf(post);
        const at = problem ? undefined : await slots.nextFreeSlot(caller.workspaceId, accountIds, after, ids);
        if (at !== undefined) after = at;
        moves.push({ id, ...before, ...(at === undefined ? { problem: problem ?? noSlot } : { at }) });
      }
      return moves.toSorted((a, b) => Number(a.at === undefined) - Number(b.at === undefined));
    },
  };
};

const noSlot = 'No slot is free for its accounts within a year. Add slots in the settings.';

const problemOf = ({ status }: Post) =>
  status === 'Draft' || status === 'Scheduled'
    ? undefined
    : status === 'Failed'
      ? 'It failed. Publish it again from its page.'
      : 'It is published, or being published.';

/** Posts without a time come last, in the order in which they were created. */
const byTime = (a: Post, b: Post) => {
  const [left, right] = [a, b].map(({ scheduledAt = '9', id }) => `${scheduledAt} ${id}`) as [string, string];
  return left < right ? -1 : 1;
};
