import { instantOf } from '#contracts/instant';
import type { Import, ImportRow } from '#contracts/transfer';
import type { AuditLog } from '#server/access/audit/audit-log';
import { bounds } from '#server/base/bounds';
import { type Clock, startStopwatch } from '#server/base/clock';
import type { Caller } from '#server/base/context';
import { badInput, notFound, Refusal } from '#server/base/errors';
import { newId } from '#server/base/ids';
import { createYieldToEventLoop } from '#server/base/jobs/yield-to-event-loop';
import type { Accounts } from '#server/connecting/accounts/accounts';
import type { Notifications } from '#server/messaging/notifications/notifications';
import type { Networks } from '#server/networks/registry';
import type { Bin } from '#server/planning/bin/bin';
import type { Labels } from '#server/planning/labels/labels';
import type { Drafts } from '#server/writing/posts/drafts';
import type { Readiness } from '#server/writing/posts/readiness';
import { type CheckedRow, createRowCheck, type ImportedDraft } from './checked-row.ts';
import { note } from './entry.ts';
import type { Fetching } from './fetching.ts';
import type { ImportStore, NumberedRow, StoredRow } from './import-store.ts';
import { createMatching } from './matching.ts';
import { readEntries } from './read-entries.ts';
import { isZone } from './wall-time.ts';

const rowsPerBatch = 200;
const shownImports = 20;
const shownRows = 100;
const rowsPerQuery = 50;

interface ImportSettings {
  readonly fileName: string;
  readonly timeZone: string;
  /** For rows that name no account. */
  readonly accountIds: readonly string[];
}

export type Imports = ReturnType<typeof createImports>;

/** Posts from files, in three steps that a person starts: check, save as drafts, schedule. */
export const createImports = ({
  store,
  accounts,
  networks,
  drafts,
  readiness,
  labels,
  bin,
  fetch,
  audit,
  notifications,
  baseUrl,
  clock,
}: {
  store: ImportStore;
  accounts: Accounts;
  networks: Networks;
  drafts: Drafts;
  readiness: Readiness;
  labels: Labels;
  bin: Bin;
  fetch: Fetching;
  audit: AuditLog;
  notifications: Notifications;
  baseUrl: string;
  clock: Clock;
}) => {
  const find = async ({ workspaceId }: Caller, id: string): Promise<Import> => {
    const record = await store.get(workspaceId, id);
    if (record === undefined) throw notFound('import', id);
    return record;
  };

  /** Stores checked rows, and marks those that were imported before or are repeated in the file. */
  const createRowWriter = ({ workspaceId }: Caller, importId: string) => {
    const firstOf = new Map<string, number>();
    let number = 0;
    return async (rows: readonly (CheckedRow & { id?: string | undefined })[]) => {
      const fingerprints = rows.map(({ fingerprint }) => fingerprint);
      const importedAt = await store.importedAt(workspaceId, fingerprints);
      const posts = await store.existingPosts(
        workspaceId,
        rows.flatMap(({ id }) => (id !== undefined && isPostId(id) ? [id] : [])),
      );
      const numbered = rows.map(({ id, ...row }): NumberedRow => {
        number++;
        const key = row.fingerprint.toString('hex');
        const sameRow = firstOf.get(key);
        if (row.state === 'Bad') return { ...row, number };
        firstOf.set(key, sameRow ?? number);
        const duplicateNote =
          sameRow !== undefined
            ? `is the same as row ${sameRow}`
            : importedAt.has(key)
              ? `was imported on ${importedAt.get(key)?.slice(0, 10)}`
              : id !== undefined && posts.has(id)
                ? `is a post of this workspace already (${id})`
                : undefined;
        if (duplicateNote === undefined) return { ...row, number };
        return {
          ...row,
          number,
          state: 'Duplicate',
          problems: [...row.problems, note('row', 'Duplicate', duplicateNote)],
        };
      });
      await store.addRows(workspaceId, importId, numbered);
    };
  };

  /** Runs row after row until the time of one request is up. Returns the row to continue after, if any are left. */
  const step = async <Row extends { number: number }>(
    after: number,
    next: (after: number) => Promise<Row[]>,
    run: (row: Row) => Promise<void>,
  ): Promise<number | undefined> => {
    const sinceBegun = startStopwatch();
    for (let last = after; ; ) {
      const rows = await next(last);
      if (rows.length === 0) return undefined;
      for (const row of rows) {
        await run(row);
        last = row.number;
        if (sinceBegun() > bounds.importStepMs) return last;
      }
    }
  };

  /** Stores a failure that concerns the row with the row. Any other error ends the request, which can be repeated. */
  const storeFailure = async ({ workspaceId }: Caller, importId: string, number: number, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Refusal) || !rowErrorCodes.includes(error.code)) throw error;
      await store.setFailure(workspaceId, importId, number, error.message);
    }
  };

  const saveRow = async (caller: Caller, importId: string, number: number) => {
    const { workspaceId } = caller;
    const draft = await store.draft(workspaceId, importId, number);
    if (draft === undefined) return;
    // Before the transaction, because fetching files is slow.
    const mediaOf = new Map<string, string>();
    for (const media of draft.versions.flatMap(({ content }) => content.flatMap((item) => item.media))) {
      const key = keyOf(media);
      if (!mediaOf.has(key)) mediaOf.set(key, await fetch(caller, importId, media));
    }
    await store.transaction(async () => {
      if ((await store.lockUnsaved(workspaceId, importId, number)) === undefined) return;
      const post = await drafts.addDraft({ ...caller, client: { kind: 'Import' } }, withMedia(draft, mediaOf));
      await store.setPost(workspaceId, importId, number, post.id);
      const { labels: names = [] } = draft;
      if (names.length > 0) {
        await labels.assign(caller, { postIds: [post.id], add: await labels.named(caller, names), remove: [] });
      }
    });
  };

  /** Notifies the person who uploaded the file, because somebody else may save it. */
  const notifyUploader = async ({ workspaceId, userId }: Caller, { id, fileName, totals }: Import) => {
    const uploader = await store.uploader(workspaceId, id);
    if (uploader === undefined) return;
    const unsaved = await store.countUnsaved(workspaceId, id);
    const failed = unsaved > 0 ? ` ${unsaved} could not be saved; the report says why.` : '';
    await store.transaction(() =>
      notifications.tell([
        {
          workspaceId,
          kind: 'import.finished',
          subjectId: uploader,
          title: 'Your import is finished',
          detail: `${fileName}: ${totals.saved} of ${totals.rows} rows are posts now.${failed}`,
          path: `/settings/transfer/${id}`,
          by: userId,
        },
      ]),
    );
  };

  return {
    /** Reads the file and stores the result for each row. Creates no posts. */
    check: async (
      caller: Caller,
      { fileName, timeZone, accountIds }: ImportSettings,
      bytes: AsyncIterable<Buffer>,
    ): Promise<Import> => {
      if (!isZone(timeZone)) {
        throw badInput({ path: 'timeZone', code: 'BadZone', message: 'must be a time zone such as Europe/Paris' });
      }
      await accounts.networksOf(caller, accountIds);
      const connected = await accounts.list(caller);
      const checkRow = createRowCheck({
        match: createMatching(connected, networks),
        networkOf: await accounts.connectedOf(
          caller,
          connected.map(({ id }) => id),
        ),
        drafts,
        findBlocking: readiness.findBlocking,
        baseUrl,
        timeZone,
        defaultAccountIds: accountIds,
        now: instantOf(clock.now()),
      });
      const { format, ignored, entries } = await readEntries(bytes);
      const id = newId('import', clock.now());
      const about = { id, fileName: tidyName(fileName), format, timeZone, ignored: [...ignored] };
      await store.begin(caller.workspaceId, caller.userId, about);
      try {
        const addRows = createRowWriter(caller, id);
        const yieldToEventLoop = createYieldToEventLoop();
        let batch: (CheckedRow & { id?: string | undefined })[] = [];
        let count = 0;
        for await (const entry of entries) {
          if (++count > bounds.importRows) throw tooMany();
          batch.push({ ...(await checkRow(entry)), id: entry.id });
          if (batch.length === rowsPerBatch) {
            await addRows(batch);
            batch = [];
          }
          await yieldToEventLoop();
        }
        if (count === 0) throw badInput({ path: 'file', code: 'Empty', message: 'has no posts in it' });
        if (batch.length > 0) await addRows(batch);
        await store.finish(caller.workspaceId, id);
      } catch (error) {
        await store.remove(caller.workspaceId, id);
        throw error;
      }
      return find(caller, id);
    },

    list: ({ workspaceId }: Caller): Promise<Import[]> => store.list(workspaceId, shownImports),

    get: find,

    rows: async (caller: Caller, id: string, { after, problemsOnly }: { after: number; problemsOnly: boolean }) => {
      await find(caller, id);
      const rows = await store.rows(caller.workspaceId, id, after, problemsOnly, shownRows + 1);
      const page = rows.slice(0, shownRows);
      const last = page.at(-1);
      return { rows: page.map(toRow), ...(rows.length > shownRows && last && { next: last.number }) };
    },

    save: async (
      caller: Caller,
      id: string,
      { after, unmatched, duplicates }: { after: number; unmatched: boolean; duplicates: boolean },
    ) => {
      const { fileName } = await find(caller, id);
      const { workspaceId, userId } = caller;
      if (after === 0) await audit.write({ event: 'import.saved', workspaceId, userId, details: { id, fileName } });
      let tried = 0;
      const states = ['Ready', ...(unmatched ? ['Unmatched'] : []), ...(duplicates ? ['Duplicate'] : [])];
      const next = await step(
        after,
        async (last) =>
          (await store.unsaved(workspaceId, id, last, states, rowsPerQuery)).map((number) => ({ number })),
        ({ number }) => {
          tried++;
          return storeFailure(caller, id, number, () => saveRow(caller, id, number));
        },
      );
      const saved = await find(caller, id);
      // A repeated call that saved nothing sends no second notification.
      if (next === undefined && (tried > 0 || after > 0)) await notifyUploader(caller, saved);
      return { import: saved, ...(next !== undefined && { next }) };
    },

    /** Started by a person: schedules each draft for its suggested time, and stores with the row why one is refused. */
    scheduleEach: async (
      caller: Caller,
      id: string,
      { after }: { after: number },
      schedule: (post: { readonly id: string; readonly at: string }) => Promise<void>,
    ) => {
      const { fileName } = await find(caller, id);
      const { workspaceId, userId } = caller;
      if (after === 0) await audit.write({ event: 'import.scheduled', workspaceId, userId, details: { id, fileName } });
      const next = await step(
        after,
        (last) => store.schedulable(workspaceId, id, last, rowsPerQuery),
        ({ number, postId, at }) =>
          storeFailure(caller, id, number, async () => {
            await schedule({ id: postId, at });
            await store.setFailure(workspaceId, id, number, null);
          }),
      );
      return { import: await find(caller, id), ...(next !== undefined && { next }) };
    },

    /** Moves what is still a draft to the bin. */
    undo: async (caller: Caller, id: string, { after }: { after: number }) => {
      const { fileName } = await find(caller, id);
      const { workspaceId, userId } = caller;
      if (after === 0) await audit.write({ event: 'import.undone', workspaceId, userId, details: { id, fileName } });
      const next = await step(
        after,
        (last) => store.savedDrafts(workspaceId, id, last, rowsPerQuery),
        async ({ postId }) => {
          try {
            await bin.addDraft(caller, postId);
          } catch (error) {
            // Somebody scheduled or deleted it meanwhile.
            if (!(error instanceof Refusal) || !['NotFound', 'Conflict'].includes(error.code)) throw error;
          }
        },
      );
      const stayed = next === undefined ? await store.stayed(workspaceId, id, shownRows) : [];
      return { import: await find(caller, id), stayed, ...(next !== undefined && { next }) };
    },

    remove: async ({ workspaceId }: Caller, id: string) => {
      if (!(await store.remove(workspaceId, id))) throw notFound('import', id);
    },

    /** Removes imports that were never saved, and old ones. */
    purge: store.purge,
  };
};

/** Error codes that concern a single row. */
const rowErrorCodes: readonly string[] = ['BadInput', 'Invalid', 'PlanLimit', 'NotFound', 'Conflict'];

const isPostId = (id: string) => /^post_[0-9A-Z]{26}$/.test(id);

const keyOf = ({ url, alt = '' }: { url: string; alt?: string | undefined }) => JSON.stringify([url, alt]);

const withMedia = ({ accountIds, versions, scheduledAt }: ImportedDraft, mediaOf: ReadonlyMap<string, string>) => ({
  accountIds,
  scheduledAt,
  versions: versions.map(({ accountId, content, options }) => ({
    ...(accountId && { accountId }),
    options: { ...options },
    content: content.map(({ body, media }) => ({
      body,
      media: media.flatMap((one) => mediaOf.get(keyOf(one)) ?? []),
    })),
  })),
});

const toRow = ({ line, draft, postId, failure, ...row }: StoredRow): ImportRow => ({
  ...row,
  ...(line !== null && { line }),
  accountIds: draft?.accountIds ?? [],
  ...(draft?.scheduledAt && { scheduledAt: draft.scheduledAt }),
  ...(postId !== null && { postId }),
  ...(failure !== null && { failure }),
});

const tooMany = () =>
  badInput({
    path: 'file',
    code: 'TooBig',
    message: `has more than ${bounds.importRows} rows; split it`,
    limit: bounds.importRows,
  });

/** Only ever shown to people. */
const tidyName = (name: string) =>
  name
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '')
    .slice(0, 255) || 'Without a name';
