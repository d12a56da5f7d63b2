import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { say, shuffled } from '../table.mjs';

/** Each round begins with a bare start of Node; the commands follow in random order. `empty` is a place to set up. */
export const measureCommands = async (place, launcher, rounds, empty) => {
  const { url } = await place.service('Posthorn');
  const LOG_FILE = join(place.folder, 'requests.log');
  const line = { level: 30, time: '2026-11-15T09:30:00.000Z', requestId: 'req_1', msg: 'request' };
  writeFileSync(LOG_FILE, `${JSON.stringify(line)}\n`);
  const env = { ...process.env, ...place.settings, BASE_URL: url, LOG_FILE };
  const posthorn = (...args) => cpuOf(env, launcher, ...args);
  const setUpIn = ({ settings }) => cpuOf({ ...env, ...settings }, launcher, 'setup', ...place.owner);
  // The first setup compiles the program. A median of several hides that outlier; a single measurement would not.
  if (empty === place) await setUpIn(await place.apart());
  const setup = await setUpIn(empty);
  const { workspaceId, token } = empty === place ? JSON.parse(setup.said) : await place.setUp();
  const commands = {
    help: ['--help'],
    'token list': ['token', 'list', '--workspace', workspaceId],
    'user list': ['user', 'list'],
    jobs: ['jobs'],
    logs: ['logs', line.requestId],
    'plan show': ['plan', 'show', '--workspace', workspaceId],
    link: ['link'],
    clock: ['clock', '--forward', '1s'],
    doctor: ['doctor'],
    call: ['call', 'accounts.list', '--url', url, '--token', token],
  };
  const cpu = { ...Object.fromEntries(Object.keys(commands).map((name) => [name, []])), setup: [setup.seconds] };
  const node = [];
  for (let round = 1; round <= rounds; round++) {
    say(`commands, round ${round} of ${rounds} …`);
    node.push((await cpuOf(env, '-e', '0')).seconds);
    for (const [name, args] of shuffled(Object.entries(commands))) cpu[name].push((await posthorn(...args)).seconds);
  }
  return { node, cpu };
};

const run = promisify(execFile);
const clock = 'TIMEFORMAT="%U %S"; time "$0" "$@"';

/** CPU time of a run of Node, including all child processes it waited for. */
const cpuOf = async (env, ...args) => {
  const { stdout, stderr } = await run('bash', ['-c', clock, process.execPath, ...args], {
    env: { ...env, LC_ALL: 'C' },
  });
  const [user, system] = stderr.trim().split('\n').at(-1).split(' ').map(Number);
  return { seconds: user + system, said: stdout };
};
