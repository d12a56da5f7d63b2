import { engagementMetrics, metricNames } from '#contracts/analytics';
import { instantOf } from '#contracts/instant';
import type { MediaItem } from '#contracts/media';
import type { exportFormats, exportParts } from '#contracts/transfer';
import { bounds } from '#server/base/bounds';
import type { Clock } from '#server/base/clock';
import type { Caller } from '#server/base/context';
import { createYieldToEventLoop } from '#server/base/jobs/yield-to-event-loop';
import type { MediaLibrary } from '#server/media/library';
import { accountsCell, mediaCells, optionsCell, threadCell, versionsCell } from './cells.ts';
import { byteOrderMark, csvLine } from './csv.ts';
import type { ExportedAccount, ExportedRow, ExportRange, ExportStore } from './export-store.ts';
import { exportName, exportVersion } from './json-entries.ts';

interface ExportRequest extends ExportRange {
  readonly format: (typeof exportFormats)[number];
  readonly part: (typeof exportParts)[number];
}

export type Exports = ReturnType<typeof createExports>;

/** Posts with results and statistics, as a text stream with backpressure. */
export const createExports = ({
  store,
  library,
  clock,
}: {
  store: ExportStore;
  library: MediaLibrary;
  clock: Clock;
}) => {
  /** Oldest first, page by page. */
  async function* postsOf(caller: Caller, range: ExportRange, nameOf: (accountId: string) => string) {
    let after = '';
    for (;;) {
      const rows = await store.page(caller.workspaceId, range, after, bounds.exportPage, bounds.pageBytes);
      const last = rows.at(-1);
      if (last === undefined) return;
      const ids = rows.flatMap(({ versions }) => versions.flatMap(({ content }) => content.flatMap((c) => c.media)));
      const media = new Map((await library.items(caller, [...new Set(ids)])).map((item) => [item.id, item]));
      yield rows.map((row) => toPost(row, nameOf, media));
      after = last.id;
    }
  }

  return {
    count: ({ workspaceId }: Caller, range: ExportRange) => store.count(workspaceId, range),

    stream: async function* (caller: Caller, { format, part, ...range }: ExportRequest): AsyncGenerator<string> {
      const { name, accounts } = await store.head(caller.workspaceId);
      const nameOf = namesOf(accounts);
      const yieldToEventLoop = createYieldToEventLoop();
      const { head, line, foot } =
        format === 'csv'
          ? csvOf(tables[part])
          : jsonOf({
              exportedAt: instantOf(clock.now()),
              workspace: { id: caller.workspaceId, name },
              ...(range.from && { from: range.from }),
              ...(range.to && { to: range.to }),
              accounts: accounts.map(({ id, network, handle, name }) => ({
                account: nameOf(id),
                network,
                handle,
                name,
              })),
            });
      yield head;
      let count = 0;
      for await (const posts of postsOf(caller, range, nameOf)) {
        let chunk = '';
        for (const post of posts) {
          chunk += line(post, count++);
          await yieldToEventLoop();
        }
        yield chunk;
      }
      yield foot(count);
    },
  };
};

/** The name of an account in an export: `network:handle`. */
const namesOf = (accounts: readonly ExportedAccount[]) => {
  const names = new Map(accounts.map(({ id, network, handle }) => [id, `${network}:${handle}`]));
  return (id: string) => names.get(id) ?? id;
};

type ExportedPost = ReturnType<typeof toPost>;

const toPost = (row: ExportedRow, nameOf: (id: string) => string, media: ReadonlyMap<string, MediaItem>) => ({
  id: row.id,
  status: row.status,
  ...(row.scheduledAt !== null && { scheduledAt: row.scheduledAt }),
  updatedAt: row.updatedAt,
  accounts: row.accountIds.map(nameOf),
  versions: row.versions.map(({ accountId, content, options }) => ({
    ...(accountId && { account: nameOf(accountId) }),
    content: content.map((item) => ({
      body: item.body,
      media: item.media.flatMap((id) => {
        const file = media.get(id);
        return file
          ? [{ id, url: file.url, mimeType: file.mimeType, bytes: file.bytes, ...(file.alt && { alt: file.alt }) }]
          : [];
      }),
    })),
    options,
  })),
  // The row also has results of accounts that were removed from the post.
  results: row.results
    .filter(({ accountId }) => row.accountIds.includes(accountId))
    .map(({ accountId, ...result }) => ({ account: nameOf(accountId), ...result })),
  statistics: row.statistics.map(({ accountId, externalId, publishedAt, metrics, fetchedAt, error }) => ({
    account: nameOf(accountId),
    externalId,
    publishedAt,
    ...(fetchedAt !== null && { fetchedAt }),
    ...(metrics !== null && { metrics }),
    ...(error !== null && { error }),
  })),
});

/** One post per line. The count at the end shows that the file is complete. */
const jsonOf = (about: object) => ({
  head: `${JSON.stringify({ format: exportName, version: exportVersion, ...about }).slice(0, -1)},"posts":[\n`,
  line: (post: ExportedPost, before: number) => `${before === 0 ? '' : ',\n'}${JSON.stringify(post)}`,
  foot: (count: number) => `\n],"count":${count}}\n`,
});

interface Table {
  readonly columns: readonly string[];
  rows(post: ExportedPost): (string | number | undefined)[][];
}

const csvOf = ({ columns, rows }: Table) => ({
  head: byteOrderMark + csvLine(columns),
  line: (post: ExportedPost) => rows(post).map(csvLine).join(''),
  foot: () => '',
});

const tables: Readonly<Record<ExportRequest['part'], Table>> = {
  posts: {
    columns: ['id', 'status', 'time', 'accounts', 'text', 'media', 'alt', 'options', 'thread', 'versions', 'updated'],
    rows: ({ id, status, scheduledAt, accounts, versions: [original, ...others], updatedAt }) => {
      const [first, ...thread] = original?.content ?? [];
      const { media, alt } = mediaCells.write(first?.media ?? []);
      return [
        [
          id,
          status,
          scheduledAt,
          accountsCell.write(accounts),
          first?.body,
          media,
          alt,
          optionsCell.write(original?.options ?? {}),
          threadCell.write(thread),
          versionsCell.write(others),
          updatedAt,
        ],
      ];
    },
  },
  results: {
    columns: ['post', 'account', 'ok', 'uncertain', 'external id', 'address', 'error code', 'error', 'published'],
    rows: ({ id, results }) =>
      results.map(({ account, ok, uncertain, externalId, url, error, publishedAt }) => [
        id,
        account,
        String(ok),
        String(uncertain ?? false),
        externalId,
        url,
        error?.code,
        error?.message,
        publishedAt,
      ]),
  },
  statistics: {
    columns: ['post', 'account', 'external id', 'published', 'read', ...metricNames, 'engagement', 'error'],
    rows: ({ id, statistics }) =>
      statistics.map(({ account, externalId, publishedAt, fetchedAt, metrics, error }) => [
        id,
        account,
        externalId,
        publishedAt,
        fetchedAt,
        ...metricNames.map((name) => metrics?.[name]),
        metrics && engagementMetrics.reduce((sum, name) => sum + (metrics[name] ?? 0), 0),
        error,
      ]),
  },
};
