import { SettingError } from '#server/base/config/config';
import { messageOf } from './pg-errors.ts';

/** A SettingError is printed as one sentence for the operator, without a stack. */
export const toSettingError =
  (what: string) =>
  (cause: Error): never => {
    if (cause instanceof SettingError) throw cause;
    throw new SettingError(`${what}: ${messageOf(cause)}`, { cause });
  };
