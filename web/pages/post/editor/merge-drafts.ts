import { type Draft, sideOf } from './draft.ts';

/** The original, the `rest` (accounts and time), or the version of one account. */
export type PartId = 'original' | 'rest' | { readonly accountId: string };

export const keyOf = (part: PartId) => (typeof part === 'string' ? part : part.accountId);

/** The parts that differ. */
export const differingParts = (mine: Draft, theirs: Draft): PartId[] => {
  const accountIds = [...new Set([...Object.keys(mine.own), ...Object.keys(theirs.own)])];
  const all: PartId[] = ['original', ...accountIds.map((accountId) => ({ accountId })), 'rest'];
  return all.filter((part) => !isSamePart(part, mine, theirs));
};

export const isSamePart = (part: PartId, one: Draft, other: Draft) =>
  JSON.stringify(contentOf(part, one)) === JSON.stringify(contentOf(part, other));

const contentOf = (part: PartId, draft: Draft): unknown => {
  if (part === 'rest') {
    return [draft.accountIds.toSorted(), draft.scheduledAt === undefined ? 0 : Date.parse(draft.scheduledAt)];
  }
  const own = part === 'original' ? draft.original : draft.own[part.accountId];
  const items = own?.items && sideOf(draft, part === 'original' ? undefined : part.accountId).items;
  return [
    items?.map(({ body, media }) => [body, media]) ?? null,
    Object.entries(own?.options ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)),
  ];
};

/** Takes each part from my draft if `isMine`, else from theirs. */
export const mergeDrafts = (mine: Draft, theirs: Draft, isMine: (part: PartId) => boolean): Draft => {
  const source = (part: PartId) => (isMine(part) ? mine : theirs);
  const { accountIds, scheduledAt } = source('rest');
  const own = Object.fromEntries(
    [...new Set([...Object.keys(mine.own), ...Object.keys(theirs.own)])].flatMap((accountId) => {
      const side = source({ accountId }).own[accountId];
      return side ? [[accountId, side]] : [];
    }),
  );
  return { accountIds, scheduledAt, original: source('original').original, own };
};
