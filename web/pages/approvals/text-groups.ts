import type { Account, Post } from '#generated/sdk/src/types';

export type Item = Post['versions'][number]['content'][number];

export interface TextGroup {
  accounts: Account[];
  content: Item[];
  /** `the same on 3 accounts`, `a shorter text` */
  note: string;
}

/** Accounts that get the same text and media stand together; the group of the most comes first. */
export const textGroups = (post: Pick<Post, 'versions'>, accounts: readonly Account[]): TextGroup[] => {
  const original = post.versions.find(({ accountId }) => accountId === undefined)?.content ?? [];
  const groups = new Map<string, { accounts: Account[]; content: Item[] }>();
  for (const account of accounts) {
    const content = post.versions.find(({ accountId }) => accountId === account.id)?.content ?? original;
    const key = JSON.stringify(content);
    const group = groups.get(key) ?? { accounts: [], content };
    group.accounts.push(account);
    groups.set(key, group);
  }
  const found = [...groups.values()].sort((a, b) => b.accounts.length - a.accounts.length);
  if (found.length === 0) return [{ accounts: [], content: original, note: 'no account is chosen' }];
  return found.map((group, index) => ({ ...group, note: noteOf(group, index === 0 ? undefined : found[0]) }));
};

const noteOf = ({ accounts, content }: Omit<TextGroup, 'note'>, first: Omit<TextGroup, 'note'> | undefined) => {
  if (first === undefined) return accounts.length > 1 ? `the same on ${accounts.length} accounts` : '';
  const [mine, theirs] = [textOf(content), textOf(first.content)];
  if (mine === theirs) return 'other media';
  return mine.length < theirs.length
    ? 'a shorter text'
    : mine.length > theirs.length
      ? 'a longer text'
      : 'another text';
};

export const textOf = (content: readonly Item[]) => content.map(({ body }) => body).join('\n\n');
