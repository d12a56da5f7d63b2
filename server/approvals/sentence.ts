import type { Account } from '#contracts/accounts';
import type { Action } from '#contracts/define';
import type { Subject } from './subject.ts';

/** The head of a card: what a person decides, and what they could not undo. */
export const sentenceOf = (
  { approval, destructive }: Action,
  input: Readonly<Record<string, unknown>>,
  { post }: Subject,
  known: ReadonlyMap<string, Account>,
) => {
  const asked = (approval?.sentence ?? '').replaceAll(/\{(\w+)\}/g, (_, field: string) => describeValue(input[field]));
  // Also the first parts of a thread that broke off.
  const out = destructive ? (post?.results ?? []).filter(({ externalId }) => externalId !== undefined) : [];
  if (out.length === 0) return asked;
  const places = out.map(({ accountId }) => {
    const account = known.get(accountId);
    return account ? `${account.provider} (${account.handle})` : 'an account that was disconnected';
  });
  return `${asked}. It is public on ${places.join(', ')} and stays there.`;
};

const describeValue = (value: unknown) => {
  const text = String(value ?? '');
  return /^\d{4}-\d\d-\d\dT/i.test(text) && !Number.isNaN(Date.parse(text))
    ? `${new Date(text).toISOString().slice(0, 16).replace('T', ' ')} UTC`
    : text;
};
