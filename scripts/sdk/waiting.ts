import type { CallOptions, Http } from './http.ts';
import type { Post } from './types.ts';

export interface WaitOptions extends CallOptions {
  /** How long to wait in all. Default: 10 minutes */
  waitMs?: number | undefined;
  /** How long to wait between two looks. Default: 2 seconds, growing to 15 */
  everyMs?: number | undefined;
}

/** Not published within `waitMs`; `post` is what it was at the last look. */
export class NotPublishedYetError extends Error {
  override readonly name: string = 'NotPublishedYetError';
  readonly post: Post;

  constructor(post: Post) {
    super(`The post ${post.id} is ${post.status}: nothing has been published within the time to wait`);
    this.post = post;
  }
}

export const waitForResult = async (http: Http, postId: string, options: WaitOptions): Promise<Post> => {
  const { waitMs = 600_000, everyMs, ...rest } = options;
  const read = () => http.action<Post>('posts.get', 'Always', { id: postId }, rest);
  let post = await read();
  let waited = 0;
  for (let looks = 0; !hasEnded(post); looks++) {
    const pause = everyMs ?? Math.min(2000 * 1.5 ** looks, 15_000);
    if (waited + pause > waitMs) throw new NotPublishedYetError(post);
    await http.pause(pause, rest.signal);
    waited += pause;
    post = await read();
  }
  return post;
};

const hasEnded = ({ status }: Post): boolean => status === 'Published' || status === 'Failed';
