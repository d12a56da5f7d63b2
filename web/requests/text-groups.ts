import type { Account, Post } from '#packages/sdk/src/generated/types';

export type Item = Post['versions'][number]['content'][number];

export interface TextGroup {
  accounts: Account[];
  content: Item[];
  /** The content after the change; undefined without a comparison. */
  became: Item[] | undefined;
  /** `the same on 3 accounts`, `a shorter text` */
  note: string;
}

type Versions = Pick<Post, 'versions' | 'accountIds'>;

/** Groups accounts with identical content before and after a change, largest group first. */
export const textGroups = (post: Versions, accounts: readonly Account[], later?: Versions): TextGroup[] => {
  const groups = new Map<string, Omit<TextGroup, 'note'>>();
  for (const account of accounts) {
    const became = later && contentFor(later, account.id);
    // A newly added account has nothing to compare with.
    const content = became && !post.accountIds.includes(account.id) ? became : contentFor(post, account.id);
    const key = JSON.stringify([content, became]);
    const group = groups.get(key) ?? { accounts: [], content, became };
    group.accounts.push(account);
    groups.set(key, group);
  }
  const sorted = [...groups.values()].sort((a, b) => b.accounts.length - a.accounts.length);
  if (sorted.length === 0) {
    const note = 'no account is chosen';
    return [{ accounts: [], content: contentFor(post), became: later && contentFor(later), note }];
  }
  return sorted.map((group, index) => ({ ...group, note: noteOf(group, index === 0 ? undefined : sorted[0]) }));
};

const contentFor = ({ versions }: Versions, id?: string) =>
  (versions.find(({ accountId }) => accountId === id) ?? versions.find(({ accountId }) => accountId === undefined))
    ?.content ?? [];

const noteOf = (group: Omit<TextGroup, 'note'>, first: Omit<TextGroup, 'note'> | undefined) => {
  const { accounts } = group;
  if (first === undefined) return accounts.length > 1 ? `the same on ${accounts.length} accounts` : '';
  const [mine, theirs] = [group, first].map(({ content, became }) => textOf(became ?? content)) as [string, string];
  if (mine === theirs) return 'other media';
  return mine.length < theirs.length
    ? 'a shorter text'
    : mine.length > theirs.length
      ? 'a longer text'
      : 'another text';
};

export const textOf = (content: readonly Item[]) => content.map(({ body }) => body).join('\n\n');
