import { pino } from 'pino';
import type { Config } from '#server/config/config';
import { openLogFile } from './log-file.ts';

/** Lines are written together: one write for each of them would be a tenth of what a request costs. */
const logDelayMs = 100;
const logBytes = 8_192;

/** On standard output, or for a command, whose answer is there, on standard error. */
export const createLog = ({ logLevel, logFile }: Pick<Config, 'logLevel' | 'logFile'>, output: 1 | 2 = 1) => {
  const options = { level: logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  const stream = pino.destination({ dest: output, sync: false, minLength: logBytes, periodicFlush: logDelayMs });
  if (logFile === undefined) return pino(options, stream);
  // The level is decided above: both get every line.
  const level = 'trace';
  return pino(
    options,
    pino.multistream([
      { level, stream },
      { level, stream: openLogFile(logFile) },
    ]),
  );
};
