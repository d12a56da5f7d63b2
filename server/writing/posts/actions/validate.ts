import type { postActions } from '#contracts/posts';
import type { Caller, Handler } from '#server/base/context';
import type { Lifecycle } from '#server/writing/posts/lifecycle';

type SuggestTimes = (caller: Caller, accountIds: string[]) => Promise<{ nextFreeSlot?: string; bestTime?: string }>;

export const validatePost =
  ({
    lifecycle,
    suggestTimes,
  }: {
    lifecycle: Lifecycle;
    suggestTimes: SuggestTimes;
  }): Handler<(typeof postActions)['posts.validate']> =>
  async ({ caller, input }) => {
    const { accountIds, ...validation } = await lifecycle.validate(caller, input.id);
    // Only MCP clients get suggested times. Other programs may validate many posts, and the suggestion takes longer
    // than the check.
    const times = caller.client?.kind === 'Mcp' ? await suggestTimes(caller, accountIds) : {};
    return { ...validation, ...times };
  };
