import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSections, readTables, type Table } from './results.ts';

const mark = /<!-- (results?): (.+?) -->(.*?)<!-- \/\1 -->/gs;
const anyMark = /<!-- \/?results?\b/g;

/** `1.04 [0.92–1.19]` is quoted as 1.04, and 1015 as 1,015. */
const format = (cell: string) =>
  cell.replace(/ \[[^\]]*\]/g, '').replace(/^\d{4,}$/, (digits) => Number(digits).toLocaleString('en'));

const formatTable = ({ head, rows }: Table) => {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map((cells) => line(cells.map(format)))].join('\n');
};

/** A row is named by its first cell, or by as many as it takes: `1000, Posthorn`. */
const findCell = (tables: readonly Table[], row: string, column: string) => {
  for (const { head, rows } of tables) {
    const place = head.indexOf(column);
    const cells = rows.find((cells) => cells.some((_, end) => cells.slice(0, end + 1).join(', ') === row));
    if (place > 0 && cells?.[place]) return format(cells[place]);
  }
  return undefined;
};

/** A page with what it quotes: single figures between `result` marks, first tables of sections between `results` marks. */
export const fillQuotes = (path: string, page: string, results: string): string => {
  const sections = readSections(results);
  const filled = page.replace(mark, (_, kind: string, address: string) => {
    const [section = '', row = '', column = ''] = address.split(' / ');
    const tables = readTables(sections.get(section) ?? '');
    const [first] = tables;
    const table = first && `\n\n${formatTable(first)}\n\n`;
    const quote = kind === 'results' ? table : findCell(tables, row, column);
    if (quote === undefined) throw new Error(`${path} quotes ${address}, which bench/RESULTS.md does not have.`);
    return `<!-- ${kind}: ${address} -->${quote}<!-- /${kind} -->`;
  });
  const [marks, pairs] = [filled.match(anyMark) ?? [], filled.match(mark) ?? []];
  if (marks.length !== 2 * pairs.length) throw new Error(`${path} has a result mark without its other half.`);
  return filled;
};

/** The pages that quote bench/RESULTS.md, as they are. */
export const readQuotingPages = async (root: string): Promise<Record<string, string>> => {
  const docs = (await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md'));
  const paths = ['README.md', ...docs.map((name) => `docs/${name}`)];
  const pages = await Promise.all(paths.map(async (path) => [path, await readFile(join(root, path), 'utf8')] as const));
  return Object.fromEntries(pages.filter(([, text]) => text.match(anyMark)));
};

/** Pages whose quotes no longer say what bench/RESULTS.md says become out of date, like generated files. */
export const emitQuotes = async (root: string, pages: Record<string, string>) => {
  const results = await readFile(join(root, 'bench/RESULTS.md'), 'utf8');
  return Object.fromEntries(Object.entries(pages).map(([path, page]) => [path, fillQuotes(path, page, results)]));
};
