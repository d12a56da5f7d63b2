import type { Account, MediaItem } from '#generated/app-client';
import { handleOf } from '#web/base/networks.ts';
import { headingOf } from '#web/parts/heading.ts';
import { count } from '#web/parts/number.ts';
import type { Item, Side } from './draft.ts';
import type { Option } from './limits.ts';

export interface PublishGroup extends Side {
  readonly accounts: readonly Account[];
}

/** Accounts that get the same text and media, the largest group first. */
export const groupAccounts = (results: readonly (Side & { account: Account })[]): PublishGroup[] => {
  const groups = new Map<string, Side & { accounts: Account[] }>();
  for (const { account, items, options } of results) {
    const key = JSON.stringify(items.map(({ body, media }) => [body, media]));
    const group = groups.get(key) ?? { items, options, accounts: [] };
    group.accounts.push(account);
    groups.set(key, group);
  }
  return [...groups.values()].toSorted((a, b) => b.accounts.length - a.accounts.length);
};

type MediaOf = (id: string) => Pick<MediaItem, 'kind'> | undefined;

const kindWords = { Image: 'picture', Video: 'video', Document: 'document' } as const;

/** `3 pictures, 1 link` */
export const describeContent = (items: readonly Pick<Item, 'body' | 'media'>[], mediaOf: MediaOf): string => {
  const kinds = items.flatMap(({ media }) => media.map((id) => mediaOf(id)?.kind ?? 'Image'));
  const files = (Object.keys(kindWords) as (keyof typeof kindWords)[]).flatMap((kind) => {
    const number = kinds.filter((one) => one === kind).length;
    return number === 0 ? [] : [count(number, kindWords[kind])];
  });
  const links = items.reduce((sum, { body }) => sum + (body.match(/\bhttps?:\/\/\S/g)?.length ?? 0), 0);
  return [
    ...(items.length > 1 ? [`${items.length} posts in a thread`] : []),
    ...files,
    ...(links > 0 ? [count(links, 'link')] : []),
  ].join(', ');
};

/** How the group differs from the first one, and what its networks need: `one picture, board Recipes`. */
export const noteOf = (
  group: PublishGroup,
  first: PublishGroup,
  {
    mediaOf,
    optionsOf,
    labelOf,
  }: {
    mediaOf: MediaOf;
    optionsOf: (network: string) => readonly Pick<Option, 'key' | 'label' | 'required'>[];
    labelOf: (network: string, key: string, value: string) => string;
  },
): string => {
  const textOf = ({ items }: Side) => items.map(({ body }) => body).join('\n\n');
  const isSameText = textOf(group) === textOf(first);
  const needed = [...new Set(group.accounts.map(({ network }) => network))].flatMap((network) =>
    optionsOf(network).flatMap(({ key, label, required }) => {
      const value = group.options[key];
      return required && value ? [`${label.toLowerCase()} ${labelOf(network, key, value)}`] : [];
    }),
  );
  const [only] = group.accounts;
  const notes = [
    ...(group.accounts.length === 1 && only ? [handleOf(only)] : []),
    ...(group === first ? ['this text'] : isSameText ? [] : [`“${headingOf(textOf(group)) || 'no text'}”`]),
    ...(group !== first && isSameText ? [describeContent(group.items, mediaOf) || 'no media'] : []),
    ...needed,
  ];
  return notes.join(', ');
};
