import type { postActions } from '#contracts/posts';
import type { Handler } from '#server/context';
import type { Lifecycle } from '#server/posts/lifecycle';
import type { SuggestedTimes } from '#server/slots/suggested-times';

export const validatePost =
  ({
    lifecycle,
    suggestTimes,
  }: {
    lifecycle: Lifecycle;
    suggestTimes: SuggestedTimes;
  }): Handler<(typeof postActions)['posts.validate']> =>
  async ({ caller, input }) => {
    const { accountIds, ...validation } = await lifecycle.validate(caller, input.id);
    // Only MCP clients get suggested times. Other programs may validate many posts, and the suggestion takes longer
    // than the check.
    const times = caller.client?.kind === 'Mcp' ? await suggestTimes(caller, accountIds) : {};
    return { ...validation, ...times };
  };
