import type { Post, Version } from '#generated/app-client';
import { headingOf } from '#web/parts/heading.ts';

export interface Item {
  /** React key, so that a moved item keeps its field. */
  readonly key: string;
  readonly body: string;
  readonly media: readonly string[];
}

/** Content of the original or of one account. */
export interface Side {
  readonly items: readonly Item[];
  readonly options: Readonly<Record<string, string>>;
}

/** Overrides of one account. Without `items` it follows the original. */
export interface Own {
  readonly items?: readonly Item[] | undefined;
  /** Whether the text or the media of `items` still follow the original, item by item. */
  readonly follows?: 'text' | 'media' | undefined;
  readonly options: Side['options'];
}

/** `own` also keeps the overrides of accounts that are not selected. */
export interface Draft {
  readonly accountIds: readonly string[];
  readonly original: Side;
  readonly own: Readonly<Record<string, Own>>;
  /** Planned time of a draft, or the time of a scheduled post. */
  readonly scheduledAt?: string | undefined;
}

export type Change = (draft: Draft) => Draft;

let keyCount = 0;
const newKey = () => `item ${++keyCount}`;

const emptyItem = (): Item => ({ key: newKey(), body: '', media: [] });

export const emptyDraft = (accountIds: readonly string[], scheduledAt?: string): Draft => ({
  accountIds,
  original: { items: [emptyItem()], options: {} },
  own: {},
  scheduledAt,
});

/** Keeps the keys of `before`, so that the focused field survives. */
export const draftOf = (post: Post, before?: Draft): Draft => {
  const itemsOf = ({ content }: Version, old: readonly Item[] = []) =>
    content.map(({ body, media }, index) => ({ key: old[index]?.key ?? newKey(), body, media }));
  const first = post.versions.find(({ accountId }) => accountId === undefined);
  const original: Side = {
    items: first ? itemsOf(first, before?.original.items) : [emptyItem()],
    options: first?.options ?? {},
  };
  const own: Record<string, Own> = {};
  for (const version of post.versions) {
    const { accountId, options } = version;
    if (accountId === undefined) continue;
    // A version always has text and media; what equals the original follows it.
    const items = itemsOf(version, before?.own[accountId]?.items);
    own[accountId] = ownOf(original, items, options, { text: !isSameText(items, original.items) });
  }
  return { accountIds: post.accountIds, original, own, scheduledAt: post.scheduledAt };
};

/** The content part of posts.update. */
export const contentOf = (draft: Draft) => {
  const { accountIds, original, scheduledAt } = draft;
  const version = ({ items, options }: Side, accountId?: string) => ({
    ...(accountId !== undefined && { accountId }),
    content: items.map(({ body, media }) => ({ body, media: [...media] })),
    options: { ...options },
  });
  const overrides = accountIds.flatMap((id) => (isOwn(draft, id) ? [version(sideOf(draft, id), id)] : []));
  return { accountIds: [...accountIds], versions: [version(original), ...overrides], scheduledAt: scheduledAt ?? '' };
};

export const isSame = (one: Draft, other: Draft) =>
  one === other || JSON.stringify(canonical(one)) === JSON.stringify(canonical(other));

const canonical = (draft: Draft) => {
  const { versions, scheduledAt, accountIds } = contentOf(draft);
  const sorted = versions.map(({ options, ...rest }) => ({ ...rest, options: Object.entries(options).sort() }));
  return [accountIds, scheduledAt && Date.parse(scheduledAt), sorted];
};

/** What a tab shows; options are only those set for the account itself. */
export const sideOf = ({ original, own }: Draft, accountId: string | undefined): Side =>
  accountId === undefined
    ? original
    : { items: itemsFor(original, own[accountId]), options: own[accountId]?.options ?? {} };

const itemsFor = (original: Side, { items, follows }: Own = { options: {} }): readonly Item[] => {
  if (items === undefined) return original.items;
  if (follows === 'media') return items.map((item, at) => ({ ...item, media: original.items[at]?.media ?? [] }));
  if (follows === 'text') return original.items.map((item, at) => ({ ...item, media: items[at]?.media ?? item.media }));
  return items;
};

/** `text`, `media`: whether the account has its own, which may still equal the original's. */
const ownOf = (
  original: Side,
  items: readonly Item[],
  options: Side['options'],
  { text, media = !isSameMedia(items, original.items) }: { text: boolean; media?: boolean },
): Own => {
  if (!text && !media) return { options };
  return { options, items, follows: text && media ? undefined : text ? 'media' : 'text' };
};

const isSameText = (items: readonly Item[], others: readonly Item[]) =>
  items.length === others.length && items.every(({ body }, at) => body === others[at]?.body);

/** Compares media item by item; the account's text may have more or fewer items than the original. */
const isSameMedia = (items: readonly Item[], others: readonly Item[]) =>
  items.every(({ media }, at) => media.join() === (others[at]?.media ?? []).join());

/** What one account gets: its own options over those of the original. */
export const resultFor = (draft: Draft, accountId: string): Side => {
  const { items, options } = sideOf(draft, accountId);
  return { items, options: { ...draft.original.options, ...options } };
};

export const hasOwnText = ({ own }: Draft, accountId: string) =>
  own[accountId]?.items !== undefined && own[accountId].follows !== 'text';

export const hasOwnMedia = ({ own }: Draft, accountId: string) =>
  own[accountId]?.items !== undefined && own[accountId].follows !== 'media';

export const hasOwnOptions = ({ own }: Draft, accountId: string) =>
  Object.keys(own[accountId]?.options ?? {}).length > 0;

/** Whether the account overrides anything. */
export const isOwn = ({ own }: Draft, accountId: string) => own[accountId] !== undefined;

/** Text, media and options follow the original until each is changed itself. */
export const changeSide =
  (accountId: string | undefined, change: (side: Side) => Side): Change =>
  (draft) => {
    if (accountId === undefined) return { ...draft, original: change(draft.original) };
    const side = sideOf(draft, accountId);
    const { items, options } = change(side);
    if (items === side.items) return withOwn(draft, accountId, { ...draft.own[accountId], options });
    const text = hasOwnText(draft, accountId) || !isSameText(items, side.items);
    const media = hasOwnMedia(draft, accountId) || !isSameMedia(items, draft.original.items);
    return withOwn(draft, accountId, ownOf(draft.original, items, options, { text, media }));
  };

const withOwn = (draft: Draft, accountId: string, own: Own): Draft => {
  const { [accountId]: _, ...others } = draft.own;
  const isNone = own.items === undefined && Object.keys(own.options).length === 0;
  return { ...draft, own: isNone ? others : { ...others, [accountId]: own } };
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
  items: moveEntry(side.items, index, by),
});

export const moveEntry = <T>(list: readonly T[], index: number, by: number): readonly T[] => {
  const to = index + by;
  const [one] = list.slice(index, index + 1);
  if (one === undefined || to < 0 || to >= list.length) return list;
  const rest = list.filter((_, at) => at !== index);
  return [...rest.slice(0, to), one, ...rest.slice(to)];
};

export const setOption = (key: string, value: string) => (side: Side) => {
  const { [key]: _, ...others } = side.options;
  return { ...side, options: value === '' ? others : { ...others, [key]: value } };
};

export type Part = 'text' | 'media' | 'options';

export const followOriginal =
  (accountId: string, part: Part): Change =>
  (draft) => {
    const { items } = sideOf(draft, accountId);
    const { options = {}, ...own } = draft.own[accountId] ?? {};
    if (part === 'options') return withOwn(draft, accountId, { ...own, options: {} });
    const text = part !== 'text' && hasOwnText(draft, accountId);
    const media = part !== 'media' && hasOwnMedia(draft, accountId);
    return withOwn(draft, accountId, ownOf(draft.original, items, options, { text, media }));
  };

/** Replaces one item by several texts; its media stay with the first. */
export const splitItem = (index: number, texts: readonly string[]) => (side: Side) => ({
  ...side,
  items: side.items.flatMap((item, at) =>
    at === index ? texts.map((body, part) => (part === 0 ? { ...item, body } : { ...emptyItem(), body })) : [item],
  ),
});

/** Keeps the order of the workspace. */
export const toggleAccount =
  (accountId: string, order: readonly string[]): Change =>
  (draft) => {
    const chosen = new Set(draft.accountIds);
    if (!chosen.delete(accountId)) chosen.add(accountId);
    const ordered = order.filter((id) => chosen.has(id));
    return { ...draft, accountIds: [...ordered, ...[...chosen].filter((id) => !order.includes(id))] };
  };

/** Appends the first text to an item and adds the others after it. */
export const insertItems = (index: number, texts: readonly string[], options: Side['options']) => (side: Side) => {
  const [first = '', ...rest] = texts;
  const at = Math.min(index, side.items.length - 1);
  const items = side.items.flatMap((item, place) =>
    place === at
      ? [{ ...item, body: joinTexts(item.body, first) }, ...rest.map((body) => ({ ...emptyItem(), body }))]
      : [item],
  );
  return { items, options: { ...side.options, ...options } };
};

/** Appends to the last item. */
export const signItems = (text: string) => (side: Side) =>
  changeItem(side.items.length - 1, (item) => ({ ...item, body: joinTexts(item.body, text) }))(side);

const joinTexts = (text: string, added: string) => (text.trim() === '' ? added : `${text.trimEnd()}\n\n${added}`);

export const titleOf = ({ original }: Draft) =>
  headingOf(original.items.find(({ body }) => body.trim() !== '')?.body ?? '');
