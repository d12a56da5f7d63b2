import { createHash } from 'node:crypto';
import type { Account } from '#contracts/accounts';
import type { Post } from '#contracts/posts';
import type { Accounts } from '#server/accounts/accounts';
import type { Caller } from '#server/context';
import { notFound, Refusal } from '#server/errors';
import type { Reading } from '#server/posts/reading';

/** What a request is about: the post or the account that its id names. */
export interface Subject {
  readonly post?: Post;
  readonly account?: Account;
}

export type Subjects = ReturnType<typeof createSubjects>;

export const createSubjects = ({ reading, accounts }: { reading: Reading; accounts: Accounts }) => ({
  /** Locked, so that what is compared now is what the action will meet. */
  find: async (caller: Caller, action: string, id: string): Promise<Subject> => {
    if (action.startsWith('accounts.')) {
      const account = (await accounts.list(caller)).find((one) => one.id === id);
      if (account === undefined) throw notFound('account', id);
      return { account };
    }
    const post = await reading.lock(caller, id);
    if (post.status === 'Publishing' || post.status === 'Published') {
      throw new Refusal('Conflict', `The post ${id} is ${post.status}, so ${action} is no longer possible.`);
    }
    return { post };
  },
});

/** Equal hashes: the human approves what the agent asked about. */
export const contentHash = ({ post, account }: Subject) => {
  const content = post
    ? [post.status, post.accountIds, post.versions, post.scheduledAt ?? null]
    : [account?.id, account?.handle];
  return createHash('sha256').update(JSON.stringify(content)).digest();
};
