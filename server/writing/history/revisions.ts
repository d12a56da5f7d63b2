import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { decodeTime } from 'ulid';
import type { ChangeOf, Client, HistoryEntry } from '#contracts/history';
import type { Post, Version } from '#contracts/posts';
import { bounds } from '#server/base/bounds';
import type { Caller } from '#server/base/context';
import type { Content, HistoryStore } from './store.ts';

/** Autosave writes every few words, so edits by one person with one client within this time become one revision. */
const foldMs = 5 * 60_000;
/** Deleting more than half of a text that is at least this long starts a new revision, so that it can be restored. */
const longTextCharacters = 200;

export type Revisions = ReturnType<typeof createRevisions>;

/** Records changes of a post. */
export const createRevisions = ({ store }: { store: HistoryStore }) => ({
  /** Records an edit. The first edit of a post also records the content it was created with. */
  recordEdit: async (caller: Caller, before: Post, after: Content) => {
    const changed = changesOf(before, after);
    if (changed.length === 0) return;
    const { id } = before;
    const { workspaceId } = caller;
    const author = authorOf(caller);
    const text = measure(after);
    const last = await store.last(workspaceId, id, text.hash, foldMs);
    if (last === undefined) await store.insertFirst(workspaceId, id, createdAtOf(before), measure(before));
    const isSmallStep =
      last?.isRecent &&
      last.userId === author.userId &&
      isDeepStrictEqual(last.client, author.client) &&
      // Restoring an earlier text is a revision of its own, so that it can be undone.
      !last.existsBefore &&
      !(last.characters >= longTextCharacters && text.characters < last.characters / 2);
    if (isSmallStep) return void (await store.fold(workspaceId, id, last.number, changed, text));
    await store.insert(workspaceId, id, author, { kind: 'Edited', changed }, text);
    await store.drop(workspaceId, id, { entries: bounds.revisions, bytes: bounds.revisionBytes });
  },

  recordStatus: async (
    caller: Caller,
    id: string,
    kind: Extract<HistoryEntry['kind'], 'Scheduled' | 'Unscheduled' | 'Publishing' | 'Deleted' | 'Restored'>,
    scheduledAt?: string,
  ) => {
    await store.insert(caller.workspaceId, id, authorOf(caller), { kind, ...(scheduledAt && { scheduledAt }) });
    await store.drop(caller.workspaceId, id, { entries: bounds.revisions, bytes: bounds.revisionBytes });
  },

  /** JSON of all rows of the post, for `putBack` when it is restored. */
  copyRows: ({ workspaceId }: Caller, id: string) => store.copyRows(workspaceId, id),

  putBack: ({ workspaceId }: Caller, id: string, rows: string) => store.putBack(workspaceId, id, rows),
});

/** `Caller.client` is absent in the app. */
const app: Client = { kind: 'App' };

const authorOf = ({ userId, client = app }: Caller) => ({ userId, client });

const ulid = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** The id holds the creation time. */
export const createdAtOf = ({ id, updatedAt }: Pick<Post, 'id' | 'updatedAt'>) => {
  const [, body = ''] = id.split('_');
  return new Date(ulid.test(body) ? decodeTime(body) : updatedAt);
};

const measure = ({ accountIds, versions }: Content) => ({
  accountIds,
  versions,
  // Hash the values in a fixed order, because jsonb does not keep the order of fields.
  hash: hash('sha256', JSON.stringify([accountIds, texts(versions), files(versions), options(versions)]), 'buffer'),
  characters: versions.reduce((sum, { content }) => content.reduce((all, { body }) => all + body.length, sum), 0),
});

export const changesOf = (before: Content, after: Content): ChangeOf[] => {
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
