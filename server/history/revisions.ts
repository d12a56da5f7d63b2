import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { decodeTime } from 'ulid';
import type { ChangeOf, Client, HistoryEntry } from '#contracts/history';
import type { Post, Version } from '#contracts/posts';
import { bounds } from '#server/bounds';
import type { Caller } from '#server/context';
import type { Content, HistoryStore } from './store.ts';

/** Autosave writes every few words: what one person writes with one client in this time is one change. */
const foldMs = 5 * 60_000;
/** A step that leaves less than half of a text of at least so many characters is not a small one. */
const longText = 200;

export type Revisions = ReturnType<typeof createRevisions>;

/** Writes down what is done to a post, inside the transaction that does it and holds the post. */
export const createRevisions = ({ store }: { store: HistoryStore }) => ({
  /** A change of the content. A post's first one also keeps what it was made with. */
  keep: async (caller: Caller, before: Post, after: Content) => {
    const changed = changesOf(before, after);
    if (changed.length === 0) return;
    const { id } = before;
    const { workspaceId } = caller;
    const author = authorOf(caller);
    const text = measured(after);
    const last = await store.last(workspaceId, id, text.hash, foldMs);
    if (last === undefined) await store.insertFirst(workspaceId, id, madeAt(before), measured(before));
    const isSmallStep =
      last?.is_recent &&
      last.user_id === author.userId &&
      isDeepStrictEqual(last.client, author.client) &&
      // Whoever restores a text can go back to the one they had.
      !last.was_there &&
      !(last.characters >= longText && text.characters < last.characters / 2);
    if (isSmallStep) return void (await store.fold(workspaceId, id, last.number, changed, text));
    await store.insert(workspaceId, id, author, { kind: 'Edited', changed }, text);
    await store.drop(workspaceId, id, { entries: bounds.revisions, bytes: bounds.revisionBytes });
  },

  /** What somebody did with the post as a whole. */
  note: async (
    caller: Caller,
    id: string,
    kind: Extract<HistoryEntry['kind'], 'Scheduled' | 'Unscheduled' | 'Publishing'>,
    scheduledAt?: string,
  ) => {
    await store.insert(caller.workspaceId, id, authorOf(caller), { kind, ...(scheduledAt && { scheduledAt }) });
    await store.drop(caller.workspaceId, id, { entries: bounds.revisions, bytes: bounds.revisionBytes });
  },
});

/** Absent where the caller is in the app. */
const app: Client = { kind: 'App' };

const authorOf = ({ userId, client = app }: Caller) => ({ userId, client });

const ulid = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** Ids say when. */
export const madeAt = ({ id, updatedAt }: Pick<Post, 'id' | 'updatedAt'>) => {
  const [, body = ''] = id.split('_');
  return new Date(ulid.test(body) ? decodeTime(body) : updatedAt);
};

const measured = ({ accountIds, versions }: Content) => ({
  accountIds,
  versions,
  // Whatever the order in which the database gives the fields back.
  hash: hash('sha256', JSON.stringify([accountIds, texts(versions), files(versions), options(versions)]), 'buffer'),
  characters: versions.reduce((sum, { content }) => content.reduce((all, { body }) => all + body.length, sum), 0),
});

const changesOf = (before: Content, after: Content): ChangeOf[] => {
  const aspects: [ChangeOf, (content: Content) => unknown][] = [
    ['Text', ({ versions }) => texts(versions)],
    ['Media', ({ versions }) => files(versions)],
    ['Options', ({ versions }) => options(versions)],
    ['Accounts', ({ accountIds }) => accountIds],
  ];
  return aspects.filter(([, of]) => !isDeepStrictEqual(of(before), of(after))).map(([change]) => change);
};

const texts = (versions: readonly Version[]) =>
  versions.map(({ accountId = '', content }) => [accountId, content.map(({ body }) => body)]);

const files = (versions: readonly Version[]) =>
  versions.map(({ accountId = '', content }) => [accountId, content.map(({ media }) => media)]);

const options = (versions: readonly Version[]) =>
  versions.map(({ accountId = '', options: set }) => [accountId, Object.entries(set).sort()]);
