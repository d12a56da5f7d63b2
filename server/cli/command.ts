import { type Config, SettingError } from '#server/config';
import type { Opened } from '#server/open';
import type { Operator } from '#server/operator';
import { help } from './help.ts';

export type Options = Readonly<Record<string, string | undefined>>;
/** `rest` is what stands after the name of the command. */
export type Command = (config: Config, options: Options, rest: readonly string[]) => Promise<unknown>;

/** Runs a command on the database, also while the service runs, and prints its answer as JSON. */
export const using = async (config: Config, work: (operator: Operator) => Promise<unknown>) => {
  const { openOperator } = await import('#server/operator');
  const operator = await openOperator(config);
  try {
    console.log(JSON.stringify(await work(operator), null, 2));
  } finally {
    await operator.close();
  }
};

/** The same for what needs all rules of the service, networks too, which takes longer to load. */
export const usingAll = async (config: Config, work: (opened: Opened) => Promise<unknown>, ownUrl?: () => string) => {
  const { open } = await import('#server/open');
  const { createLog } = await import('#server/log');
  const opened = await open(config, createLog({ ...config, logLevel: 'warn' }, 2), ownUrl);
  try {
    console.log(JSON.stringify(await work(opened), null, 2));
  } finally {
    await opened.close();
  }
};

export const need = <const Names extends string[]>(options: Options, ...names: Names) => {
  const missing = names.filter((name) => !options[name]);
  if (missing.length > 0) throw new SettingError(`Give ${missing.map((name) => `--${name}`).join(', ')}.\n\n${help}`);
  return names.map((name) => options[name]) as { [I in keyof Names]: string };
};

/** A line for people on stderr that is written over, or lines where nobody looks. */
export const createProgress = (stream: { isTTY?: boolean; write(text: string): unknown } = process.stderr) => ({
  say: (text: string) => void stream.write(stream.isTTY ? `\r${text} …\u001b[K` : `${text} …\n`),
  end: () => void (stream.isTTY && stream.write('\r\u001b[K')),
});
