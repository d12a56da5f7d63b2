import { readFileSync } from 'node:fs';
import type { Config } from '#server/config';
import type { Command } from './command.ts';

export const start: Command = async (config) => {
  const { start: startService } = await import('#server/main');
  const asked = new AbortController();
  const starting = startService(config, { say: console.log, signal: asked.signal });
  // From the first moment on: a stop during the start would else leave the embedded PostgreSQL running.
  stopOnSignals(async () => {
    asked.abort();
    await (await starting.catch(() => undefined))?.stop();
  }, config);
  const running = await starting.catch((error: unknown) => {
    if (asked.signal.aborted) return undefined;
    throw error;
  });
  if (running === undefined) return;
  const { welcome, people } = running.posthorn;
  const link = await welcome.path();
  const code = await welcome.firstOwnerCode();
  console.log(
    [
      '',
      `Posthorn is ready at ${running.url}`,
      `  API reference   ${running.url}/docs`,
      ...(link ? [`  Sign in         ${running.url}${link}   (works once)`] : []),
      ...(code ? [`  First owner     ${running.url}/sign-up   with the code ${code}   (works once)`] : []),
      ...(link && (await people.isEmpty())
        ? ['  First token     npx posthorn setup --email you@example.com --password <password> --workspace "My team"']
        : []),
      '',
    ].join('\n'),
  );
};

const stopOnSignals = (stop: () => Promise<void>, { childOfNpm, drainMs }: Config) => {
  let asked = false;
  const end = (why: string) => {
    if (asked) process.exit(1);
    asked = true;
    console.log(`${why}: finishing what is under way. Once more to stop at once.`);
    // What is cut off now is continued by another instance, or at the next start, when its lease has ended.
    setTimeout(() => {
      console.log('DRAIN_SECONDS are over: stopping now.');
      process.exit(0);
    }, drainMs).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', () => end('Interrupted'));
  process.on('SIGTERM', () => end('Asked to stop'));
  if (childOfNpm) {
    // `npm start` that is killed with SIGKILL cannot tell us: our ancestors just change.
    const before = ancestors();
    setInterval(() => {
      if (ancestors() !== before && !asked) end('npm is gone');
    }, 500).unref();
  }
};

/** Our parent and, where /proc tells, its parent: some shells stay between npm and us. */
const ancestors = () => {
  const { ppid } = process;
  try {
    return `${ppid} ${
      readFileSync(`/proc/${ppid}/stat`, 'utf8')
        .replace(/^.*\) \S /s, '')
        .split(' ')[0]
    }`;
  } catch {
    return `${ppid}`;
  }
};
