import type { CallOptions } from './http.ts';
import { Namespace } from './namespace.ts';
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

export class PostWaiting extends Namespace {
  /**
   * Waits until publishing has ended, and returns the post with a result per account: Published, or Failed. Before that a
   * human has to publish or schedule it. Where you can, receive a webhook instead.
   *
   * @example
   * const { status, results } = await posthorn.posts.waitForResult(post.id);
   *
   * @throws {NotPublishedYetError} when `waitMs` have passed
   */
  async waitForResult(postId: string, options: WaitOptions = {}): Promise<Post> {
    const { waitMs = 600_000, everyMs, ...rest } = options;
    let post = await this.#read(postId, rest);
    let waited = 0;
    for (let looks = 0; !hasEnded(post); looks++) {
      const pause = everyMs ?? Math.min(2000 * 1.5 ** looks, 15_000);
      if (waited + pause > waitMs) throw new NotPublishedYetError(post);
      await this.http.pause(pause, rest.signal);
      waited += pause;
      post = await this.#read(postId, rest);
    }
    return post;
  }

  #read(id: string, options: CallOptions): PromiseLike<Post> {
    return this.http.action<Post>('posts.get', 'Always', { id }, options);
  }
}

const hasEnded = ({ status }: Post): boolean => status === 'Published' || status === 'Failed';
