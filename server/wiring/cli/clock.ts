import { durationMs, SettingError } from '#server/base/config/config';
import { type Command, need, using } from './command.ts';

export const clock: Command = (config, options) => {
  const byMs = durationMs(need(options, 'forward')[0]);
  if (byMs === undefined) {
    throw new SettingError('Give --forward as a number with s, m, h or d, such as 6h or 30d.');
  }
  if (config.production) throw new SettingError('The clock cannot be moved in production.');
  return using(config, async ({ sandboxClock, audit: { audit } }) => {
    await sandboxClock.forward(byMs);
    await audit.write({ event: 'clock.moved', details: { forwardMs: byMs, by: 'the command line' } });
    return { now: sandboxClock.now().toISOString() };
  });
};
