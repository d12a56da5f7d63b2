import type { Post, Version } from '#generated/app-client';

export interface Item {
  /** Of this editor alone, so that a moved item stays the same field. */
  readonly key: string;
  readonly body: string;
  readonly media: readonly string[];
}

/** Text, media and options: the original, or what one account gets instead. */
export interface Side {
  readonly items: readonly Item[];
  readonly options: Readonly<Record<string, string>>;
}

/** A post as it is being written. `own` also keeps the versions of accounts that are not chosen at the moment. */
export interface Draft {
  readonly accountIds: readonly string[];
  readonly original: Side;
  readonly own: Readonly<Record<string, Side>>;
  /** On a draft a wish, on a scheduled post when it goes out. */
  readonly scheduledAt?: string | undefined;
}

export type Change = (draft: Draft) => Draft;

let made = 0;
const newKey = () => `item ${++made}`;

export const emptyItem = (): Item => ({ key: newKey(), body: '', media: [] });

export const emptyDraft = (accountIds: readonly string[], scheduledAt?: string): Draft => ({
  accountIds,
  original: { items: [emptyItem()], options: {} },
  own: {},
  scheduledAt,
});

/** Items keep the keys they had, so that the field somebody is in stays. */
export const draftOf = (post: Post, before?: Draft): Draft => {
  const side = ({ content, options }: Version, old: Side | undefined): Side => ({
    items: content.map(({ body, media }, index) => ({ key: old?.items[index]?.key ?? newKey(), body, media })),
    options,
  });
  const own: Record<string, Side> = {};
  let original: Side = { items: [emptyItem()], options: {} };
  for (const version of post.versions) {
    const { accountId } = version;
    if (accountId === undefined) original = side(version, before?.original);
    else own[accountId] = side(version, before?.own[accountId]);
  }
  return { accountIds: post.accountIds, original, own, scheduledAt: post.scheduledAt };
};

/** What posts.update takes, without the post it is about. */
export const contentOf = ({ accountIds, original, own, scheduledAt }: Draft) => {
  const version = ({ items, options }: Side, accountId?: string) => ({
    ...(accountId !== undefined && { accountId }),
    content: items.map(({ body, media }) => ({ body, media: [...media] })),
    options: { ...options },
  });
  const overrides = accountIds.flatMap((id) => (own[id] ? [version(own[id], id)] : []));
  return { accountIds: [...accountIds], versions: [version(original), ...overrides], scheduledAt: scheduledAt ?? '' };
};

/** Whether both say the same, whatever the order of options. */
export const isSame = (one: Draft, other: Draft) =>
  one === other || JSON.stringify(canonical(one)) === JSON.stringify(canonical(other));

const canonical = (draft: Draft) => {
  const { versions, scheduledAt, accountIds } = contentOf(draft);
  const sorted = versions.map(({ options, ...rest }) => ({ ...rest, options: Object.entries(options).sort() }));
  return [accountIds, scheduledAt && Date.parse(scheduledAt), sorted];
};

/** The version that a tab shows: the account's own, else the original. */
export const sideOf = ({ original, own }: Draft, accountId: string | undefined): Side =>
  (accountId !== undefined && own[accountId]) || original;

/** What one account gets, with the options of the original under its own. */
export const resultFor = (draft: Draft, accountId: string): Side => {
  const { items, options } = sideOf(draft, accountId);
  return { items, options: { ...draft.original.options, ...options } };
};

export const isEdited = ({ own }: Draft, accountId: string) => own[accountId] !== undefined;

/** Changes a version; an account without one gets its own, copied from the original. */
export const changeSide =
  (accountId: string | undefined, change: (side: Side) => Side): Change =>
  (draft) => {
    if (accountId === undefined) return { ...draft, original: change(draft.original) };
    const side = draft.own[accountId] ?? { items: draft.original.items, options: {} };
    return { ...draft, own: { ...draft.own, [accountId]: change(side) } };
  };

export const changeItem = (index: number, change: (item: Item) => Item) => (side: Side) => ({
  ...side,
  items: side.items.map((item, at) => (at === index ? change(item) : item)),
});

export const addItem = (side: Side): Side => ({ ...side, items: [...side.items, emptyItem()] });

export const removeItem = (index: number) => (side: Side) => ({
  ...side,
  items: side.items.filter((_, at) => at !== index),
});

export const moveItem = (index: number, by: number) => (side: Side) => ({
  ...side,
  items: moved(side.items, index, by),
});

export const moved = <T>(list: readonly T[], index: number, by: number): readonly T[] => {
  const to = index + by;
  const [one] = list.slice(index, index + 1);
  if (one === undefined || to < 0 || to >= list.length) return list;
  const rest = list.filter((_, at) => at !== index);
  return [...rest.slice(0, to), one, ...rest.slice(to)];
};

/** An empty value removes the option. */
export const setOption = (key: string, value: string) => (side: Side) => {
  const { [key]: _, ...others } = side.options;
  return { ...side, options: value === '' ? others : { ...others, [key]: value } };
};

export const resetSide =
  (accountId: string): Change =>
  (draft) => {
    const { [accountId]: _, ...own } = draft.own;
    return { ...draft, own };
  };

/** Accounts stay in the order of the workspace. */
export const toggleAccount =
  (accountId: string, order: readonly string[]): Change =>
  (draft) => {
    const chosen = new Set(draft.accountIds);
    if (!chosen.delete(accountId)) chosen.add(accountId);
    const known = order.filter((id) => chosen.has(id));
    return { ...draft, accountIds: [...known, ...[...chosen].filter((id) => !order.includes(id))] };
  };

/** A text that is used again: its first item goes to the end of one, the others after it. */
export const insertItems = (index: number, texts: readonly string[], options: Side['options']) => (side: Side) => {
  const [first = '', ...rest] = texts;
  const at = Math.min(index, side.items.length - 1);
  const items = side.items.flatMap((item, place) =>
    place === at
      ? [{ ...item, body: joined(item.body, first) }, ...rest.map((body) => ({ ...emptyItem(), body }))]
      : [item],
  );
  return { items, options: { ...side.options, ...options } };
};

/** A signature stands at the end of the whole text. */
export const signItems = (text: string) => (side: Side) =>
  changeItem(side.items.length - 1, (item) => ({ ...item, body: joined(item.body, text) }))(side);

const joined = (text: string, added: string) => (text.trim() === '' ? added : `${text.trimEnd()}\n\n${added}`);

const longestTitle = 60;

/** The first words of a post, for its header. */
export const titleOf = ({ original }: Draft) => {
  const text = original.items.find(({ body }) => body.trim() !== '')?.body.trimStart() ?? '';
  const line = text.slice(0, 200).split('\n')[0]?.trim() ?? '';
  const sentence = /^.{3,}?[.:?!](?=\s)/u.exec(line)?.[0].replace(/[.:]$/, '') ?? line;
  if (sentence.length <= longestTitle) return sentence;
  return `${sentence.slice(0, longestTitle).replace(/\s+\S*$/, '')}…`;
};
