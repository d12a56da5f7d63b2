import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, resolve } from 'node:path';

const maps = new Map<string, SourceMap | undefined>();
const place = /([^\s(]+\.js):(\d+):(\d+)/;

/**
 * Stacks name our sources. Node does that too (--enable-source-maps), but reads and keeps the map of all that is loaded,
 * while most processes never show a stack.
 */
export const mapStacks = () => {
  Error.prepareStackTrace = (error, sites) =>
    [inWords(error), ...sites.map((site) => String(site).replace(place, mapped))].join('\n    at ');
};

const inWords = (error: unknown) => {
  try {
    return String(error);
  } catch {
    return 'Error';
  }
};

const mapped = (whole: string, file: string, line: string, column: string) => {
  if (!maps.has(file)) maps.set(file, read(file));
  const found = maps.get(file)?.findEntry(Number(line) - 1, Number(column) - 1);
  if (!found || !('originalSource' in found)) return whole;
  const { originalSource, originalLine, originalColumn } = found;
  const source = resolve(dirname(file), originalSource);
  return `${source}:${originalLine + 1}:${originalColumn + 1}`;
};

const read = (file: string) => {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
  } catch {
    return undefined;
  }
};
