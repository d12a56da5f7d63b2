import { z } from 'zod';
import type { EntryItem, EntryMedia, EntryVersion } from './entry.ts';
import { isTooLarge } from './json-items.ts';

/**
 * Reads and writes single cells of our CSV. The plain form is for people: one entry per line. If a value contains line
 * breaks, the cell is JSON, which begins with a bracket.
 */
export const accountsCell = {
  write: (accounts: readonly string[]) => accounts.join('\n'),
  /** A comma separates only if the name of a network follows, because a handle may contain one. */
  read: (cell: string) =>
    cell
      .split(/\n|[,;](?=\s*[A-Za-z][\w -]{0,40}:)/)
      .map((account) => account.trim())
      .filter((account) => account !== ''),
};

/** Names with commas, semicolons or lines between them. */
export const labelsCell = {
  read: (cell: string) => [
    ...new Set(
      cell
        .split(/[\n,;]/)
        .map((name) => name.replace(/\s+/g, ' ').trim())
        .filter((name) => name !== ''),
    ),
  ],
};

const Alts = z.array(z.string());
const Options = z.record(z.string(), z.string());
const Media = z.array(z.object({ url: z.string(), alt: z.string().optional() }));
const Items = z.array(z.object({ body: z.string().default(''), media: Media.default([]) }));
const Versions = z.array(z.object({ account: z.string(), content: Items.min(1), options: Options.default({}) }));

/** URLs separated by white space in one cell, and their alternative texts in the other, one per line. */
export const mediaCells = {
  write: (media: readonly EntryMedia[]) => {
    const alts = media.map(({ alt = '' }) => alt);
    // Somebody who edits the file easily loses an empty first line.
    const isPlain = alts.every((alt) => !alt.includes('\n') && alt.trim() === alt) && !/^(\[|$)/.test(alts[0] ?? '');
    return {
      media: media.map(({ url }) => url).join('\n'),
      alt: alts.every((alt) => alt === '') ? '' : isPlain ? alts.join('\n') : JSON.stringify(alts),
    };
  },
  read: (media: string, alt: string): EntryMedia[] | undefined => {
    // Do not trim the cell as a whole: an empty first line means that the first picture has no text.
    const isList = alt.trimStart().startsWith('[');
    const alts = isList ? parseCell(Alts, alt) : alt.split('\n').map((line) => line.trim());
    if (alts === undefined) return undefined;
    const urls = media.split(/\s+/).filter((url) => url !== '');
    return urls.map((url, index) => ({ url, ...(alts[index] && { alt: alts[index] }) }));
  },
};

const maxOptions = 1000;

/** `bluesky.reply_control=nobody`, one per line. */
export const optionsCell = {
  write: (options: Readonly<Record<string, string>>) => {
    const entries = Object.entries(options);
    const isPlain = entries.every(([, value]) => !value.includes('\n') && value.trim() === value);
    return isPlain ? entries.map(([key, value]) => `${key}=${value}`).join('\n') : JSON.stringify(options);
  },
  read: (cell: string): Record<string, string> | undefined => {
    if (cell.trimStart().startsWith('{')) return parseCell(Options, cell);
    const lines = cell.split('\n').filter((line) => line.trim() !== '');
    const pairs = lines.map((line) => [line.indexOf('='), line] as const);
    if (pairs.length > maxOptions || pairs.some(([at]) => at < 1)) return undefined;
    return Object.fromEntries(pairs.map(([at, line]) => [line.slice(0, at).trim(), line.slice(at + 1).trim()]));
  },
};

/** The items after the first. */
export const threadCell = {
  write: (items: readonly EntryItem[]) => (items.length === 0 ? '' : JSON.stringify(items)),
  read: (cell: string): EntryItem[] | undefined => (cell.trim() === '' ? [] : parseCell(Items, cell)),
};

/** Versions for single accounts. */
export const versionsCell = {
  write: (versions: readonly EntryVersion[]) => (versions.length === 0 ? '' : JSON.stringify(versions)),
  read: (cell: string): EntryVersion[] | undefined => (cell.trim() === '' ? [] : parseCell(Versions, cell)),
};

const parseCell = <T>(schema: z.ZodType<T>, cell: string): T | undefined => {
  if (isTooLarge(cell)) return undefined;
  try {
    return schema.safeParse(JSON.parse(cell)).data;
  } catch {
    return undefined;
  }
};
