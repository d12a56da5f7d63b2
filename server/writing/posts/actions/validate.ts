import type { postActions } from '#contracts/posts';
import type { Caller, Handler } from '#server/base/context';
import type { Readiness } from '#server/writing/posts/readiness';

type SuggestTimes = (caller: Caller, accountIds: string[]) => Promise<{ nextFreeSlot?: string; bestTime?: string }>;

export const validatePost =
  ({
    readiness,
    suggestTimes,
  }: {
    readiness: Readiness;
    suggestTimes: SuggestTimes;
  }): Handler<(typeof postActions)['posts.validate']> =>
  async ({ caller, input }) => {
    const { accountIds, ...validation } = await readiness.validate(caller, input.id);
    // Only MCP clients get suggested times. Other programs may validate many posts, and the suggestion takes longer
    // than the check.
    const times = caller.client?.kind === 'Mcp' ? await suggestTimes(caller, accountIds) : {};
    return { ...validation, ...times };
  };
