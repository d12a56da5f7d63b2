import cluster from 'node:cluster';
import { readFileSync } from 'node:fs';
import { systemClock } from '#server/base/clock';
import { type Config, type ProcessRole, roles, SettingError } from '#server/base/config/config';
import { endOfNode } from '#server/operation/startup/end-of-node';
import type { RunningService } from '#server/wiring/main';
import type { Command } from './command.ts';
import type { Ready } from './processes.ts';

const databaseStopMs = 10_000;

export const start: Command = async (settings, { role = settings.role }) => {
  if (!isRole(role)) throw new SettingError(`--role must be one of ${roles.join(', ')}.`);
  const config = { ...settings, role };
  if (cluster.isPrimary && config.webProcesses > 1) {
    const { superviseProcesses } = await import('./processes.ts');
    const processes = superviseProcesses(config);
    // The workers end after DRAIN_SECONDS at the latest, the database after them.
    return stopOnSignals(processes.stop, { ...config, drainMs: config.drainMs + databaseStopMs });
  }
  // Only one of several workers prints.
  const say = cluster.isPrimary || cluster.worker?.id === 1 ? console.log : () => undefined;
  const { start: startService } = await import('#server/wiring/main');
  const stopRequest = new AbortController();
  const starting = startService(config, { say, signal: stopRequest.signal });
  // Before the start has finished: otherwise a stop during the start would leave the embedded PostgreSQL running.
  stopOnSignals(async () => {
    stopRequest.abort();
    await (await starting.catch(() => undefined))?.stop();
  }, config);
  const running = await starting.catch((error: unknown) => {
    if (stopRequest.signal.aborted) return undefined;
    throw error;
  });
  // After a stop during the start the database is being closed, so the banner could not read it.
  if (running === undefined || stopRequest.signal.aborted) return;
  cluster.worker?.send({ ready: running.url } satisfies Ready);
  if (say === console.log) console.log(await banner(running, config));
};

const isRole = (role: string): role is ProcessRole => (roles as readonly string[]).includes(role);

const banner = async ({ url, posthorn: { welcome, people } }: RunningService, { role }: Config) => {
  if (role === 'jobs') return `\nPosthorn is ready at ${url}, for jobs only (/healthz, /readyz, /metrics)\n`;
  const link = await welcome.path();
  const code = await welcome.firstOwnerCode();
  const oldNode = endOfNode(process.version, systemClock.now());
  return [
    '',
    `Posthorn is ready at ${url}`,
    `  API reference   ${url}/docs`,
    ...(link ? [`  Sign in         ${url}${link}   (works once)`] : []),
    ...(code ? [`  First owner     ${url}/sign-up   with the code ${code}   (works once)`] : []),
    ...(link && (await people.isEmpty())
      ? ['  First token     npx posthorn setup --email you@example.com --password <password> --workspace "My team"']
      : []),
    ...(oldNode ? [`  ${oldNode}`] : []),
    '',
  ].join('\n');
};

const stopOnSignals = (stop: () => Promise<void>, { childOfNpm, drainMs }: Config) => {
  let isStopping = false;
  const end = (why: string) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    if (cluster.isPrimary) console.log(`${why}: finishing running work. Repeat to stop at once.`);
    // Work that is cut off now is continued by another instance, or by the next start, when its lease has expired.
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
  // Ctrl-C reaches every process of the terminal, but workers wait for the SIGTERM of their parent.
  process.on('SIGINT', () => cluster.isPrimary && end('Interrupted'));
  process.on('SIGTERM', () => end('Asked to stop'));
  if (childOfNpm && cluster.isPrimary) {
    // An `npm start` that is killed with SIGKILL cannot forward a signal, so we notice that our parent changed.
    const before = ancestors();
    setInterval(() => {
      if (ancestors() !== before && !isStopping) end('npm is gone');
    }, 500).unref();
  }
};

/** Our parent and, where /proc exists, its parent, because some shells stay between npm and us. */
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
