import type { Account } from '#generated/app-client';
import { excessStart, splitText } from '#server/networks/split-text';
import { type Change, changeSide, type Draft, hasOwnText, resultFor, splitItem } from './draft.ts';
import type { Constraints } from './limits.ts';
import { lengthOf } from './text-length.ts';

type LimitsOf = (account: Account) => Constraints | undefined;

const fitsFor = (draft: Draft, account: Account, limits: Constraints) => {
  const { options } = resultFor(draft, account.id);
  return (text: string) => {
    const { over, bytesOver } = lengthOf(limits, text, options);
    return over === 0 && bytesOver === 0;
  };
};

/** Index from which an item's text is over this account's limit. */
export const excessIn = (draft: Draft, account: Account, limits: Constraints, index: number): number | undefined => {
  const body = resultFor(draft, account.id).items[index]?.body ?? '';
  return excessStart(body, fitsFor(draft, account, limits));
};

interface SplitContext {
  readonly limitsOf: LimitsOf;
  /** Undefined: the original, for all accounts that follow its text. */
  readonly version: string | undefined;
}

const hasThreads = (limitsOf: LimitsOf, account: Account) => limitsOf(account)?.thread.form === 'Replies';

const followersOf = (draft: Draft, accounts: readonly Account[]) => accounts.filter(({ id }) => !hasOwnText(draft, id));

/** Accounts that support threads and for which the item is too long. */
export const accountsToSplit = (
  draft: Draft,
  accounts: readonly Account[],
  index: number,
  { limitsOf, version }: SplitContext,
): readonly Account[] => {
  const candidates = version === undefined ? followersOf(draft, accounts) : accounts.filter(({ id }) => id === version);
  return candidates.filter((account) => {
    const limits = limitsOf(account);
    const body = resultFor(draft, account.id).items[index]?.body ?? '';
    return limits && hasThreads(limitsOf, account) && !fitsFor(draft, account, limits)(body);
  });
};

/**
 * Splits the original if all accounts that follow its text support threads. Otherwise the accounts for which it is too
 * long get their own text. Undefined if a thread would have more items than a network allows.
 */
export const splitFor = (
  draft: Draft,
  accounts: readonly Account[],
  index: number,
  context: SplitContext,
): Change | undefined => {
  const { limitsOf, version } = context;
  const tooLong = accountsToSplit(draft, accounts, index, context);
  const followers = followersOf(draft, accounts);
  const textsFor = (group: readonly Account[], { id }: Account) => {
    const { items } = resultFor(draft, id);
    const limits = group.flatMap((account) => limitsOf(account) ?? []);
    const fits = group.flatMap((account) => {
      const own = limitsOf(account);
      return own ? [fitsFor(draft, account, own)] : [];
    });
    const texts = splitText(items[index]?.body ?? '', (text) => fits.every((one) => one(text)));
    const most = Math.min(...limits.map(({ thread }) => thread.max));
    return items.length - 1 + texts.length > most ? undefined : texts;
  };
  const [first] = tooLong;
  if (first === undefined) return undefined;
  if (version === undefined && followers.every((account) => hasThreads(limitsOf, account))) {
    const texts = textsFor(followers, first);
    return texts && changeSide(undefined, splitItem(index, texts));
  }
  const changes = tooLong.map((account) => {
    const texts = textsFor([account], account);
    return texts && changeSide(account.id, splitItem(index, texts));
  });
  if (changes.includes(undefined)) return undefined;
  return (before) => changes.reduce((now, change) => change?.(now) ?? now, before);
};
