import { type Config, SettingError } from '#server/config';
import type { Opened } from '#server/main';
import { help } from './help.ts';

export type Options = Readonly<Record<string, string | undefined>>;
/** `rest` is what stands after the name of the command. */
export type Command = (config: Config, options: Options, rest: readonly string[]) => Promise<unknown>;

/** Runs a command on the database, also while the service runs, and prints its answer as JSON. */
export const using = async (config: Config, work: (opened: Opened) => Promise<unknown>, ownUrl?: () => string) => {
  const { createLog, open } = await import('#server/main');
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

export const ownerOf = async ({ posthorn: { people, members } }: Opened, workspaceId: string) => {
  const owner = (await members.list(workspaceId)).find(({ role }) => role === 'owner');
  if (owner === undefined) {
    const known = (await people.workspaces()).map(({ id, name }) => `${id} (${name})`).join(', ');
    throw new SettingError(
      `There is no workspace ${workspaceId}. ${known ? `There are: ${known}.` : 'Run posthorn setup first.'}`,
    );
  }
  return { workspaceId, userId: owner.userId };
};
