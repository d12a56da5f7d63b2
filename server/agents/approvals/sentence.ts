import type { Account } from '#contracts/accounts';
import type { Action } from '#contracts/define';
import type { Post } from '#contracts/posts';
import { changesOf } from '#server/writing/history/revisions';
import type { Subject } from './subject.ts';

type Input = Readonly<Record<string, unknown>>;
type AccountsById = ReadonlyMap<string, Account>;

/** The headline of a card: what a person decides, and what cannot be undone. */
export const sentenceOf = (action: Action, input: Input, { post }: Subject, accounts: AccountsById) => {
  const values: Input = { ...input, from: post?.scheduledAt };
  const sentence = templateOf(action, input, post).replaceAll(/\{(\w+)\}/g, (_, field: string) =>
    Array.isArray(values[field]) ? namesOf(values[field], accounts) : describeValue(values[field]),
  );
  // Includes the published parts of a thread that failed halfway.
  const published = action.destructive
    ? (post?.results ?? []).filter(({ externalId }) => externalId !== undefined)
    : [];
  if (published.length === 0) return sentence;
  const places = published.map(({ accountId }) => nameOf(accountId, accounts));
  return `${sentence}. It is public on ${places.join(', ')} and stays there.`;
};

const templateOf = ({ approval }: Action, input: Input, post: Post | undefined) => {
  const [instead] = Object.entries(approval?.instead ?? {}).filter(([field]) => isSet(input[field]));
  const scheduled = post?.status === 'Scheduled' ? approval?.whenScheduled?.sentence : undefined;
  return instead?.[1] ?? scheduled ?? approval?.sentence ?? '';
};

const isSet = (value: unknown) => value === true || (Array.isArray(value) && value.length > 0);

/** Label of the button that approves. */
export const buttonOf = ({ approval }: Action, { post }: Subject) =>
  (post?.status === 'Scheduled' ? approval?.whenScheduled?.verb : undefined) ?? approval?.verb ?? 'Approve';

/**
 * The whole question as text: the sentence, what would change, when it goes out and where to. For readers who do not
 * see the card.
 */
export const askOf = (action: Action, input: Input, subject: Subject, accounts: AccountsById) => {
  const sentence = sentenceOf(action, input, subject, accounts);
  const { post, becomes } = subject;
  const target = becomes ?? post;
  if (target === undefined || action.destructive) return endSentence(sentence);
  return [
    endSentence(sentence),
    ...(post && becomes ? describeChange(post, becomes, accounts) : []),
    `${timeOf(post, becomes)} ${namesOf(target.accountIds, accounts)}.`,
  ].join(' ');
};

const describeChange = (post: Post, becomes: Post, accounts: AccountsById) => {
  const added = becomes.accountIds.filter((id) => !post.accountIds.includes(id));
  const removed = post.accountIds.filter((id) => !becomes.accountIds.includes(id));
  const changes = [
    ...changesOf(post, becomes)
      .filter((change) => change !== 'Accounts')
      .map((change) => change.toLowerCase()),
    ...(added.length > 0 ? [`adds ${namesOf(added, accounts)}`] : []),
    ...(removed.length > 0 ? [`removes ${namesOf(removed, accounts)}`] : []),
    ...(becomes.scheduledAt !== post.scheduledAt
      ? [`time from ${describeValue(post.scheduledAt)} to ${describeValue(becomes.scheduledAt)}`]
      : []),
  ];
  return changes.length > 0 ? [`It changes: ${changes.join(', ')}.`] : [];
};

const timeOf = (post: Post | undefined, becomes: Post | undefined) => {
  const isMoved = becomes?.scheduledAt !== post?.scheduledAt;
  return becomes?.status === 'Scheduled' && !isMoved
    ? `It goes out at ${describeValue(becomes.scheduledAt)} to`
    : 'It is for';
};

const namesOf = (ids: readonly string[], accounts: AccountsById) =>
  ids.map((id) => nameOf(id, accounts)).join(', ') || 'no account';

const nameOf = (id: string, accounts: AccountsById) => {
  const account = accounts.get(id);
  return account ? `${account.provider} (${account.handle})` : 'an account that was disconnected';
};

const endSentence = (sentence: string) => (sentence.endsWith('.') ? sentence : `${sentence}.`);

const describeValue = (value: unknown) => {
  const text = String(value ?? '');
  return /^\d{4}-\d\d-\d\dT/i.test(text) && !Number.isNaN(Date.parse(text))
    ? `${new Date(text).toISOString().slice(0, 16).replace('T', ' ')} UTC`
    : text;
};
