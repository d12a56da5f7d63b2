import type { Post } from './generated/types.ts';
import { Namespace } from './namespace.ts';
import type { WaitOptions } from './waiting.ts';

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
    // Lazy, for pages that never wait.
    const { waitForResult } = await import('./waiting.ts');
    return waitForResult(this.http, postId, options);
  }
}
