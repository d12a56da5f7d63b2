import { SettingError } from '#server/config/config';
import { messageOf } from './pg-errors.ts';

/** What the operator has to fix is printed as a sentence, without a stack. */
export const toSettingError =
  (what: string) =>
  (cause: Error): never => {
    if (cause instanceof SettingError) throw cause;
    throw new SettingError(`${what}: ${messageOf(cause)}`, { cause });
  };
