import { pino } from 'pino';
import type { Config } from '#server/base/config/config';
import { openLogFile } from './log-file.ts';

const logDelayMs = 100;
const logBytes = 8_192;

/** Lines are buffered, because a write for each would take a tenth of the time of a request. */
const openOutput = (output: 1 | 2) => {
  const stream = pino.destination({ dest: output, sync: false, minLength: logBytes });
  let isFlushPlanned = false;
  const flush = () => {
    isFlushPlanned = false;
    stream.flush();
  };
  return {
    write: (line: string) => {
      stream.write(line);
      // With `periodicFlush` pino would also write, ten times a second, when nothing was logged.
      if (!isFlushPlanned) setTimeout(flush, logDelayMs).unref();
      isFlushPlanned = true;
    },
  };
};

/** Writes to standard output. Commands print their result there, so they log to standard error (2). */
export const createLog = ({ logLevel, logFile }: Pick<Config, 'logLevel' | 'logFile'>, output: 1 | 2 = 1) => {
  const options = { level: logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  const stream = openOutput(output);
  if (logFile === undefined) return pino(options, stream);
  // `options` already filters by level, so both streams accept everything.
  const level = 'trace';
  return pino(
    options,
    pino.multistream([
      { level, stream },
      { level, stream: openLogFile(logFile) },
    ]),
  );
};
