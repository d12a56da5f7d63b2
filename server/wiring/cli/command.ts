import { type Config, SettingError } from '#server/base/config/config';
import type { Core } from '#server/wiring/core';
import type { OpenService } from '#server/wiring/open-service';
import { help } from './help.ts';

export type Options = Readonly<Record<string, string | undefined>>;
/** `rest`: the arguments after the name of the command. */
export type Command = (config: Config, options: Options, rest: readonly string[]) => Promise<unknown>;

/** Runs a command on the database, even while the service runs, and prints the result as JSON. */
export const using = async (config: Config, work: (core: Core) => Promise<unknown>) => {
  const { openCore } = await import('#server/wiring/open-core');
  const { core, close } = await openCore(config);
  try {
    console.log(JSON.stringify(await work(core), null, 2));
  } finally {
    await close();
  }
};

/** Like `using`, for commands that need the whole service with its networks, which takes longer to load. */
export const usingService = async (
  config: Config,
  work: (service: OpenService) => Promise<unknown>,
  ownUrl?: () => string,
) => {
  const { openService } = await import('#server/wiring/open-service');
  const { createLog } = await import('#server/base/logging/log');
  const service = await openService(config, createLog({ ...config, logLevel: 'warn' }, 2), ownUrl);
  try {
    console.log(JSON.stringify(await work(service), null, 2));
  } finally {
    await service.close();
  }
};

export const need = <const Names extends string[]>(options: Options, ...names: Names) => {
  const missing = names.filter((name) => !options[name]);
  if (missing.length > 0) throw new SettingError(`Give ${missing.map((name) => `--${name}`).join(', ')}.\n\n${help}`);
  return names.map((name) => options[name]) as { [I in keyof Names]: string };
};

/** Overwrites a single line on a terminal, and prints separate lines elsewhere. */
export const createProgress = (stream: { isTTY?: boolean; write(text: string): unknown } = process.stderr) => ({
  say: (text: string) => void stream.write(stream.isTTY ? `\r${text} …\u001b[K` : `${text} …\n`),
  end: () => void (stream.isTTY && stream.write('\r\u001b[K')),
});
