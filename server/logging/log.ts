import { pino } from 'pino';
import type { Config } from '#server/config/config';
import { openLogFile } from './log-file.ts';

/** Lines are buffered, because a write for each would take a tenth of the time of a request. */
const logDelayMs = 100;
const logBytes = 8_192;

/** Writes to standard output. Commands print their result there, so they log to standard error (2). */
export const createLog = ({ logLevel, logFile }: Pick<Config, 'logLevel' | 'logFile'>, output: 1 | 2 = 1) => {
  const options = { level: logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  const stream = pino.destination({ dest: output, sync: false, minLength: logBytes, periodicFlush: logDelayMs });
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
