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

/** One post of a file in any format, with accounts and times as written there. */
export interface Entry {
  /** Only of CSV. */
  readonly line?: number;
  /** The id that a post of this workspace would have. */
  readonly id?: string | undefined;
  /** `network:handle`; empty when the file names no accounts. */
  readonly accounts: readonly string[];
  /** Names of labels. */
  readonly labels?: readonly string[];
  readonly time: string;
  /** For a time without a zone; empty means the zone of the import. */
  readonly zone: string;
  readonly versions: readonly EntryVersion[];
  /** Problems found while reading the entry. */
  readonly problems: readonly ImportProblem[];
}

export const problem = (column: string, code: string, message: string): ImportProblem => ({
  column,
  code,
  // The message may quote characters that PostgreSQL cannot store.
  message: `${column} ${message}`.replaceAll('\0', '\uFFFD').toWellFormed(),
  stops: true,
});

/** A warning: the row can still be saved. */
export const note = (column: string, code: string, message: string): ImportProblem => ({
  ...problem(column, code, message),
  stops: false,
});

/** A warning that posts.schedule would refuse the post. */
export const block = (column: string, code: string, message: string): ImportProblem => ({
  ...note(column, code, message),
  blocks: true,
});

/** An entry that cannot be read as a post. */
export const unreadable = (column: string, code: string, message: string, line?: number): Entry => ({
  ...(line !== undefined && { line }),
  accounts: [],
  time: '',
  zone: '',
  versions: [],
  problems: [problem(column, code, message)],
});
