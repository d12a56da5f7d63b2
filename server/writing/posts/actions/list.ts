import type { postActions } from '#contracts/posts';
import type { Caller, Handler } from '#server/base/context';
import { JsonText } from '#server/base/json/json-text';
import type { Reading } from '#server/writing/posts/reading';

export const listPosts =
  ({
    reading,
    findRequests,
  }: {
    reading: Reading;
    /** Approval requests that wait for a human. */
    findRequests: (caller: Caller) => Promise<{ postId: string; action: string; approvalUrl: string }[]>;
  }): Handler<(typeof postActions)['posts.list']> =>
  async ({ caller, input: { waiting, ...input } }) => {
    if (!waiting) return reading.list(caller, { ...input, ids: null });
    const requests = await findRequests(caller);
    const page = await reading.list(caller, { ...input, ids: requests.map(({ postId }) => postId) });
    const { posts, summaries, nextCursor } = page instanceof JsonText ? page.value : page;
    const listed = new Set([...posts, ...(summaries ?? [])].map(({ id }) => id));
    return {
      posts,
      ...(summaries && { summaries }),
      requests: requests.filter(({ postId }) => listed.has(postId)),
      ...(nextCursor && { nextCursor }),
    };
  };
