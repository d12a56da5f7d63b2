import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { bounds } from '#server/base/bounds';
import { badInput } from '#server/base/errors';
import { accountsCell, labelsCell, mediaCells, optionsCell, threadCell, versionsCell } from './cells.ts';
import { withoutGuard } from './csv.ts';
import { type Entry, type EntryVersion, problem, unreadable } from './entry.ts';

type Column =
  | 'id'
  | 'text'
  | 'accounts'
  | 'labels'
  | 'time'
  | 'time zone'
  | 'media'
  | 'alt'
  | 'options'
  | 'thread'
  | 'versions';

/** Accepted column names, in lower case with spaces between words. */
const columns: Readonly<Record<string, Column>> = {
  id: 'id',
  text: 'text',
  accounts: 'accounts',
  account: 'accounts',
  labels: 'labels',
  label: 'labels',
  time: 'time',
  'time zone': 'time zone',
  timezone: 'time zone',
  media: 'media',
  alt: 'alt',
  options: 'options',
  thread: 'thread',
  versions: 'versions',
};

/** The columns of Buffer's bulk upload. It names no account, because a file is for one channel. */
const columnsOfBuffer: Readonly<Record<string, Column>> = {
  text: 'text',
  'image url': 'media',
  'posting time': 'time',
};

interface CsvFile {
  readonly format: 'Posthorn CSV' | 'Buffer CSV';
  /** Columns with unknown names. */
  readonly ignored: readonly string[];
  readonly entries: AsyncIterable<Entry>;
}

/** `head` is the beginning of the file, at least its first line. */
export const readCsv = async (head: string, chunks: AsyncIterable<string>): Promise<CsvFile> => {
  const records = recordsOf(chunks, delimiterOf(head));
  const first = await records.next();
  const names = (first.done ? [] : first.value.cells.slice(0, bounds.importColumns + 1)).map(tidy);
  const isForBuffer = names.includes('posting time') || names.includes('image url');
  const columnNames = isForBuffer ? columnsOfBuffer : columns;
  const placeOf = new Map<Column, number>();
  for (const [index, name] of names.entries()) {
    const column = Object.hasOwn(columnNames, name) ? columnNames[name] : undefined;
    if (column === undefined) continue;
    if (placeOf.has(column)) {
      throw badInput({ path: 'file', code: 'WrongColumns', message: `has the column ${column} twice; remove one` });
    }
    placeOf.set(column, index);
  }
  if (names.length > bounds.importColumns || !placeOf.has('text')) {
    const shown = names.filter((name) => name !== '').slice(0, 10);
    const message = `has no column text in its first line${shown.length > 0 ? `, which names ${shown.join(', ').slice(0, 200)}` : ''}; /help/import-export lists the columns`;
    throw badInput({ path: 'file', code: 'WrongColumns', message });
  }
  return {
    format: isForBuffer ? 'Buffer CSV' : 'Posthorn CSV',
    ignored: names.filter((name) => name !== '' && !Object.hasOwn(columnNames, name)),
    entries: entriesOf(records, placeOf, names.length),
  };
};

const tidy = (name: string) =>
  name
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ')
    .slice(0, 100);

/** The delimiter of a spreadsheet depends on its locale, so the most frequent candidate in the first line wins. */
const delimiterOf = (head: string) => {
  const [line = ''] = head.split(/[\r\n]/, 1);
  const candidates = [',', ';', '\t'].map((sign) => ({ sign, count: line.split(sign).length }));
  return candidates.reduce((most, one) => (one.count > most.count ? one : most)).sign;
};

interface CsvRecord {
  readonly cells: readonly string[];
  readonly line: number;
}

async function* recordsOf(chunks: AsyncIterable<string>, delimiter: string): AsyncGenerator<CsvRecord> {
  const parser = parse({
    delimiter,
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: bounds.importRowCharacters,
  });
  const feeding = pipeline(Readable.from(limitColumns(chunks, delimiter)), parser);
  // The loop below gets the same error from the parser.
  feeding.catch(() => undefined);
  let line = 1;
  let doubled = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      yield { cells: record, line };
      // The parser counts \r\n inside a cell as two lines.
      for (const cell of record.slice(0, bounds.importColumns)) doubled += cell.split('\r\n').length - 1;
      line = info.lines + 1 - doubled;
    }
  } catch (error) {
    throw error instanceof CsvError ? refusalOf(error, line) : error;
  }
}

/** The parser yields complete records only, so an endless first line must be stopped before it reaches the parser. */
async function* limitColumns(chunks: AsyncIterable<string>, delimiter: string) {
  let columns = 1;
  let isQuoted = false;
  let isOver = false;
  let before = delimiter;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length && !isOver; at++) {
      const sign = chunk[at] as string;
      // A quotation mark in the middle of a cell is text; two in a quoted cell are one escaped mark.
      if (sign === '"' && (isQuoted || before === delimiter || before === '"')) isQuoted = !isQuoted;
      else if (!isQuoted && sign === delimiter) columns++;
      else if (!isQuoted && /[\r\n]/.test(sign)) isOver = before !== delimiter || columns > 1;
      if (columns > bounds.importColumns) throw tooManyColumns();
      if (!/[\r\n]/.test(sign) || isQuoted) before = sign;
    }
    yield chunk;
  }
}

const tooManyColumns = () =>
  badInput({
    path: 'file',
    code: 'WrongColumns',
    message: `has more than ${bounds.importColumns} columns in its first line; /help/import-export lists the columns`,
    limit: bounds.importColumns,
  });

const refusalOf = ({ code }: CsvError, line: number) =>
  code === 'CSV_MAX_RECORD_SIZE'
    ? badInput({
        path: 'file',
        code: 'TooBig',
        message: `has more than ${bounds.importRowCharacters} characters in the row at line ${line}; is a quotation mark missing there?`,
        limit: bounds.importRowCharacters,
      })
    : badInput({
        path: 'file',
        code: 'BadFormat',
        message: `has a quotation mark too many or too few in the row at line ${line}; write a mark inside a cell twice`,
      });

/** Columns whose cells are split, which is slow for long text. */
const shortColumns = ['accounts', 'labels', 'media', 'alt', 'options'] as const satisfies readonly Column[];

async function* entriesOf(
  records: AsyncIterable<CsvRecord>,
  placeOf: ReadonlyMap<Column, number>,
  width: number,
): AsyncGenerator<Entry> {
  for await (const { cells, line } of records) {
    if (cells.length !== width) {
      const message = `has ${cells.length} cells instead of ${width}; put text with commas or lines into quotation marks`;
      yield unreadable('row', 'WrongColumns', message, line);
    } else if (cells.some((cell) => cell !== '')) {
      const cell = (column: Column) => withoutGuard(cells[placeOf.get(column) ?? -1] ?? '');
      const long = shortColumns.find((column) => cell(column).length > bounds.itemCharacters);
      yield long ? unreadable(long, 'TooBig', 'is longer than is allowed', line) : entryOf(cell, line);
    }
  }
}

const entryOf = (cell: (column: Column) => string, line: number): Entry => {
  const problems: Entry['problems'][number][] = [];
  const orProblem = <T>(value: T | undefined, empty: T, column: Column, must: string): T => {
    if (value === undefined) problems.push(problem(column, 'BadFormat', must));
    return value ?? empty;
  };
  const media = orProblem(
    mediaCells.read(cell('media'), cell('alt')),
    [],
    'alt',
    'must have one text a line, or be a JSON list of texts',
  );
  const options = orProblem(optionsCell.read(cell('options')), {}, 'options', 'must have one key=value a line');
  const thread = orProblem(threadCell.read(cell('thread')), [], 'thread', 'must be a JSON list of {"body", "media"}');
  const others = orProblem(
    versionsCell.read(cell('versions')),
    [],
    'versions',
    'must be a JSON list of {"account", "content", "options"}',
  );
  const original: EntryVersion = { content: [{ body: cell('text'), media }, ...thread], options };
  return {
    line,
    id: cell('id') || undefined,
    accounts: accountsCell.read(cell('accounts')),
    labels: labelsCell.read(cell('labels')),
    time: cell('time').trim(),
    zone: cell('time zone').trim(),
    versions: [original, ...others],
    problems,
  };
};
