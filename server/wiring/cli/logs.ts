import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { SettingError } from '#server/base/config/config';
import { logFiles } from '#server/base/logging/log-file';
import type { Command } from './command.ts';

interface Line {
  readonly level: number;
  readonly time: string;
  readonly msg?: string;
  readonly err?: { readonly message?: string; readonly stack?: string };
}

const levels: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};

/** Prints the log lines of one request, oldest first. */
export const logs: Command = async ({ logFile }, { json }, [requestId]) => {
  if (requestId === undefined) throw new SettingError('Give a request id: posthorn logs <request id>');
  if (logFile === undefined && process.stdin.isTTY) {
    throw new SettingError(
      'LOG_FILE is not set, so Posthorn keeps no log. Send yours here, such as: journalctl -u posthorn -o cat | npx posthorn logs <request id>',
    );
  }
  const sources = logFile === undefined ? [process.stdin] : logFiles(logFile).map(readLog);
  const matches: { line: Line; text: string }[] = [];
  for (const source of sources) {
    for await (const text of createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY })) {
      // Parsing is slow, and most lines belong to other requests.
      if (!text.includes(requestId)) continue;
      const line = parseLine(text);
      if (line?.requestId === requestId) matches.push({ line, text });
    }
  }
  if (matches.length === 0) {
    throw new SettingError(`No line of ${logFile ?? 'this log'} has the request id ${requestId}.`);
  }
  for (const { line, text } of matches.sort((a, b) => orderOf(a.line.time, b.line.time))) {
    console.log(json === undefined ? formatLine(line) : text);
  }
};

/** Not localeCompare: loading its collation data takes longer than reading most logs. */
const orderOf = (a: string, b: string) => Number(a > b) - Number(a < b);

const readLog = (name: string) => {
  const file = createReadStream(name);
  return name.endsWith('.gz') ? pipeline(file, createGunzip(), () => undefined) : file;
};

const parseLine = (text: string): (Line & { readonly requestId?: string }) | undefined => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const formatLine = ({ level, time, msg = '', err, ...fields }: Line) => {
  const { requestId: _, ...rest } = fields as Record<string, unknown>;
  const values = Object.entries(rest).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const line = [time, (levels[level] ?? String(level)).padEnd(5), msg, ...values].join(' ');
  return err ? `${line}\n${err.stack ?? err.message}` : line;
};
