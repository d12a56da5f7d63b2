import type { ImportProblem } from '#contracts/transfer';

export interface EntryMedia {
  readonly url: string;
  readonly alt?: string | undefined;
}

export interface EntryItem {
  readonly body: string;
  readonly media: readonly EntryMedia[];
}

export interface EntryVersion {
  /** As the file names it; absent on the original. */
  readonly account?: string | undefined;
  readonly content: readonly EntryItem[];
  readonly options: Readonly<Record<string, string>>;
}

/** One post as a file tells it, whatever the format: accounts and times as they are written there. */
export interface Entry {
  /** Only of CSV. */
  readonly line?: number;
  /** The id that a post of this workspace would have. */
  readonly id?: string | undefined;
  /** `network:handle`; none means that the file says nothing about accounts. */
  readonly accounts: readonly string[];
  readonly time: string;
  /** For a time without a zone; empty for that of the import. */
  readonly zone: string;
  readonly versions: readonly EntryVersion[];
  /** Found while it was read. */
  readonly problems: readonly ImportProblem[];
}

export const problem = (column: string, code: string, message: string): ImportProblem => ({
  column,
  code,
  // It may quote what PostgreSQL cannot keep.
  message: `${column} ${message}`.replaceAll('\0', '\uFFFD').toWellFormed(),
  stops: true,
});

/** Worth knowing, and no reason not to save the row. */
export const note = (column: string, code: string, message: string): ImportProblem => ({
  ...problem(column, code, message),
  stops: false,
});

/** What cannot be read as a post. */
export const unreadable = (column: string, code: string, message: string, line?: number): Entry => ({
  ...(line !== undefined && { line }),
  accounts: [],
  time: '',
  zone: '',
  versions: [],
  problems: [problem(column, code, message)],
});
