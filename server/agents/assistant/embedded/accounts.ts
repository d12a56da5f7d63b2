import type { Account } from '#contracts/accounts';
import { escapeRegExp } from '#server/base/escape-reg-exp';
import { type Talk, use } from './talk.ts';

export function* connectedAccounts(): Talk<Account[]> {
  return (yield* use<{ accounts: Account[] }>('accounts.list')).accounts;
}

/** Finds accounts by network, handle or name. Longer names first, because one may be part of another. */
export const accountsIn = (text: string, accounts: readonly Account[]): Account[] => {
  if (/\b(all|every)\s+(my\s+|our\s+)?accounts?\b|\beverywhere\b/i.test(text)) return [...accounts];
  const names = accounts
    .flatMap((account) =>
      [account.provider, account.network, account.handle, account.name].map((name) => ({ name, account })),
    )
    .filter(({ name }) => name !== '')
    .toSorted((a, b) => b.name.length - a.name.length);
  let rest = text;
  const matches = new Set<Account>();
  for (const name of new Set(names.map((one) => one.name))) {
    // A name of one letter, such as X, is matched with its case only.
    const pattern = new RegExp(
      `(?<![\\p{L}\\p{N}_])@?${escapeRegExp(name)}(?![\\p{L}\\p{N}_])`,
      name.length > 1 ? 'iu' : 'u',
    );
    if (!pattern.test(rest)) continue;
    rest = rest.replace(new RegExp(pattern, `${pattern.flags}g`), ' ');
    for (const one of names) if (one.name === name) matches.add(one.account);
  }
  return accounts.filter((account) => matches.has(account));
};

export const networksOf = (accounts: readonly Account[]) => [...new Set(accounts.map(({ provider }) => provider))];
