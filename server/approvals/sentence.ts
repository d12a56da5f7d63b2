import type { Account } from '#contracts/accounts';
import type { Action } from '#contracts/define';
import type { Subject } from './subject.ts';

/** The headline of a card: what a person decides, and what cannot be undone. */
export const sentenceOf = (
  { approval, destructive }: Action,
  input: Readonly<Record<string, unknown>>,
  { post }: Subject,
  accounts: ReadonlyMap<string, Account>,
) => {
  const [instead] = Object.entries(approval?.instead ?? {}).filter(([field]) => input[field] === true);
  const sentence = (instead?.[1] ?? approval?.sentence ?? '').replaceAll(/\{(\w+)\}/g, (_, field: string) =>
    describeValue(input[field]),
  );
  // Includes the published parts of a thread that failed halfway.
  const published = destructive ? (post?.results ?? []).filter(({ externalId }) => externalId !== undefined) : [];
  if (published.length === 0) return sentence;
  const places = published.map(({ accountId }) => {
    const account = accounts.get(accountId);
    return account ? `${account.provider} (${account.handle})` : 'an account that was disconnected';
  });
  return `${sentence}. It is public on ${places.join(', ')} and stays there.`;
};

const describeValue = (value: unknown) => {
  const text = String(value ?? '');
  return /^\d{4}-\d\d-\d\dT/i.test(text) && !Number.isNaN(Date.parse(text))
    ? `${new Date(text).toISOString().slice(0, 16).replace('T', ' ')} UTC`
    : text;
};
