import type { Post } from './generated/types.ts';
import type { CallOptions, Http } from './http.ts';
import { PosthornError } from './posthorn-error.ts';

export interface WaitOptions extends CallOptions {
  /** The total time to wait. Default: 10 minutes */
  waitMs?: number | undefined;
  /** The polling interval. Default: 2 seconds, growing to 15 */
  everyMs?: number | undefined;
  /** `updatedAt` of a post that failed before: that failure does not count, only what comes after it */
  since?: string | undefined;
}

/** Not published within `waitMs`; `post` is its last known state. */
export class NotPublishedYetError extends PosthornError {
  override readonly name: string = 'NotPublishedYetError';
  readonly post: Post;

  constructor(post: Post) {
    super(`The post ${post.id} is ${post.status}: nothing has been published within the time to wait`);
    this.post = post;
  }
}

export const waitForResult = async (http: Http, postId: string, options: WaitOptions): Promise<Post> => {
  const { waitMs = 600_000, everyMs, since, ...rest } = options;
  const read = () => http.action<Post>('posts.get', 'Always', { id: postId }, rest);
  let post = await read();
  let waited = 0;
  for (let polls = 0; !hasEnded(post, since); polls++) {
    const pause = everyMs ?? Math.min(2000 * 1.5 ** polls, 15_000);
    if (waited + pause > waitMs) throw new NotPublishedYetError(post);
    await http.pause(pause, rest.signal);
    waited += pause;
    post = await read();
  }
  return post;
};

const hasEnded = ({ status, updatedAt }: Post, since: string | undefined): boolean =>
  status === 'Published' || (status === 'Failed' && (since === undefined || updatedAt > since));
