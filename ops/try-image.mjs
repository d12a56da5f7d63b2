#!/usr/bin/env node
// Runs the steps of ops/Dockerfile where there is no container engine: each stage is a folder with a Debian of its own, and
// the image then runs there as the user it names, with a read-only root. Says what it weighs. As root, on Debian, with
// debootstrap; everything stays below the folder that is given.
//
//   node ops/try-image.mjs /tmp/image [--keep]
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const [place, keep] = process.argv.slice(2);
if (!place || process.getuid() !== 0) {
  console.error('Give a folder, and run it as root: node ops/try-image.mjs /tmp/image');
  process.exit(2);
}
const root = resolve(import.meta.dirname, '..');
const folder = resolve(place);
const say = (line) => console.error(`· ${line}`);

const run = (command, args, options = {}) => {
  const { status, error, stdout } = spawnSync(command, args, { stdio: ['ignore', 2, 2], encoding: 'utf8', ...options });
  if (status !== 0) throw error ?? new Error(`${command} ${args.join(' ')} ended with ${status}`);
  return stdout;
};
const megabytes = (path) => Number(run('du', ['-sm', path], { stdio: ['ignore', 'pipe', 2] }).split('\t')[0]);

/** What the image of Node stands on: a small Debian, Node and npm, and the user `node`. */
const makeBase = (image) => {
  const major = /^node:(\d+)-/.exec(image)?.[1];
  if (major === undefined) throw new Error(`${image} is not an image of Node`);
  const base = join(folder, 'base');
  if (existsSync(join(base, 'usr/local/bin/node'))) return base;
  say(`a Debian for ${image}`);
  run('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', base], { stdio: 'ignore' });
  const platform = process.arch === 'arm64' ? 'arm64' : 'x64';
  const packed = JSON.parse(
    run('npm', ['pack', `node-linux-${platform}@${major}`, '--json', '--pack-destination', folder], {
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  run('tar', ['-xzf', join(folder, packed.at(-1).filename), '-C', folder]);
  cpSync(join(folder, 'package/bin/node'), join(base, 'usr/local/bin/node'));
  const npm = JSON.parse(
    run('npm', ['pack', 'npm@11', '--json', '--pack-destination', folder], { stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  mkdirSync(join(base, 'usr/local/lib/npm'), { recursive: true });
  run('tar', [
    '-xzf',
    join(folder, npm.at(-1).filename),
    '-C',
    join(base, 'usr/local/lib/npm'),
    '--strip-components=1',
  ]);
  run('ln', ['-sf', '/usr/local/lib/npm/bin/npm-cli.js', join(base, 'usr/local/bin/npm')]);
  run('chmod', ['755', join(base, 'usr/local/lib/npm/bin/npm-cli.js')]);
  run('chroot', [base, 'useradd', '--uid', '1000', '--user-group', '--create-home', 'node']);
  return base;
};

const instructions = () =>
  readFileSync(join(root, 'ops/Dockerfile'), 'utf8')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() && !line.startsWith('#'))
    .map((line) => {
      const [, name, rest] = /^(\w+)\s+(.*)$/.exec(line);
      return { name, rest };
    });

/** The files that are committed, without what .dockerignore names: nothing of this machine gets in. */
const copyTree = (to) => {
  const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n').filter(Boolean);
  const files = run('git', ['ls-files', '-z'], { cwd: root, stdio: ['ignore', 'pipe', 2] })
    .split('\0')
    .filter(Boolean);
  for (const file of files) {
    if (ignored.some((name) => file === name || file.startsWith(`${name}/`))) continue;
    mkdirSync(dirname(join(to, file)), { recursive: true });
    cpSync(join(root, file), join(to, file));
  }
};

const build = () => {
  const stages = new Map();
  let stage;
  for (const { name, rest } of instructions()) {
    if (name === 'FROM') {
      const [image, , as = 'final'] = rest.split(/\s+/);
      stage = { root: join(folder, as), env: {}, workdir: '/', user: 'root' };
      stages.set(as, stage);
      rmSync(stage.root, { recursive: true, force: true });
      run('cp', ['-a', makeBase(image), stage.root]);
      continue;
    }
    say(`${name} ${rest.slice(0, 90)}`);
    const inside = (path) => join(stage.root, resolve(stage.workdir, path));
    if (name === 'WORKDIR') {
      stage.workdir = rest;
      mkdirSync(inside('.'), { recursive: true });
    } else if (name === 'ENV') {
      for (const pair of rest.split(/\s+/))
        stage.env[pair.slice(0, pair.indexOf('='))] = pair.slice(pair.indexOf('=') + 1);
    } else if (name === 'COPY') {
      const words = rest.split(/\s+/);
      const from = words[0].startsWith('--from=') ? stages.get(words.shift().slice(7)) : undefined;
      const to = words.pop();
      for (const source of words) {
        if (source === '.') copyTree(inside(to));
        else if (from && to.endsWith(`/${basename(source)}`)) run('cp', ['-a', join(from.root, source), inside(to)]);
        else run('cp', ['-a', from ? join(from.root, source) : join(root, source), `${inside(to)}/`]);
      }
    } else if (name === 'RUN') {
      inChroot(stage, ['/bin/sh', '-c', rest]);
    } else if (name === 'USER') stage.user = rest;
    else if (name === 'CMD') stage.command = JSON.parse(rest);
    else if (name === 'HEALTHCHECK') stage.health = JSON.parse(rest.slice(rest.indexOf('CMD ') + 4));
  }
  return stage;
};

const environment = ({ env }) => ({ PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', HOME: '/tmp', ...env });

/** Packages come from where this machine gets them, and it trusts whom this machine trusts. */
const inChroot = (stage, command) => {
  const settings = join(homedir(), '.npmrc');
  const mounts = [`mount --bind /dev ${stage.root}/dev`, `cp /etc/resolv.conf ${stage.root}/etc/resolv.conf`];
  const there = join(stage.root, 'tmp/.npmrc');
  if (existsSync(settings)) cpSync(settings, there);
  const trusted = join(stage.root, 'tmp/trusted.pem');
  cpSync('/etc/ssl/certs/ca-certificates.crt', trusted);
  const script = [
    ...mounts,
    `cd ${stage.root}${stage.workdir}`,
    `exec chroot ${stage.root} /bin/sh -c 'cd ${stage.workdir} && exec "$@"' sh "$@"`,
  ];
  const proxies = Object.fromEntries(
    Object.entries(process.env).filter(([name]) =>
      /^(npm_config_|NPM_CONFIG_|HTTPS?_PROXY|https?_proxy|NO_PROXY|no_proxy)/.test(name),
    ),
  );
  try {
    run('unshare', ['--mount', '/bin/sh', '-ec', script.join('\n'), 'sh', ...command], {
      env: { ...proxies, NODE_EXTRA_CA_CERTS: '/tmp/trusted.pem', ...environment(stage) },
    });
  } finally {
    rmSync(there, { force: true });
    rmSync(join(stage.root, 'tmp'), { recursive: true, force: true });
    mkdirSync(join(stage.root, 'tmp'), { mode: 0o1777 });
    run('chmod', ['1777', join(stage.root, 'tmp')]);
  }
};

/** Root read-only, /data and /tmp its own, no rights: as compose.yaml runs it. */
const confined = (stage, command, env) => {
  const data = join(folder, 'data');
  const script = [
    `mount --bind ${stage.root} ${stage.root}`,
    `mount --bind ${data} ${stage.root}/data`,
    `mount -t tmpfs tmpfs ${stage.root}/tmp`,
    `mount --bind /dev ${stage.root}/dev`,
    `mount -t proc proc ${stage.root}/proc`,
    `mount -o remount,ro,bind ${stage.root}`,
    `exec chroot ${stage.root} setpriv --reuid 1000 --regid 1000 --clear-groups --no-new-privs --bounding-set=-all /bin/sh -c 'cd ${stage.workdir} && exec "$@"' sh "$@"`,
  ];
  return spawn('unshare', ['--mount', '/bin/sh', '-ec', script.join('\n'), 'sh', ...command], {
    stdio: ['ignore', 'pipe', 2],
    env: { ...environment(stage), ...env },
  });
};

const ended = (child) => new Promise((done) => child.once('exit', (code, signal) => done(code ?? signal)));

mkdirSync(folder, { recursive: true });
const stage = build();
const data = join(folder, 'data');
rmSync(data, { recursive: true, force: true });
mkdirSync(data, { mode: 0o700 });
run('chown', ['1000:1000', data]);
const own = megabytes(join(stage.root, 'app'));
const whole = megabytes(stage.root);
const env = { PORT: '3939', BASE_URL: 'https://posthorn.example.com' };
say('starting it: read-only root, user 1000, no capabilities');
const service = confined(stage, stage.command, env);
let said = '';
service.stdout.on('data', (chunk) => {
  said += chunk;
});
let code;
void ended(service).then((how) => {
  code = how;
});
const begun = performance.now();
let healthy = false;
while (!healthy && code === undefined && performance.now() - begun < 120_000) {
  await sleep(500);
  const check = spawnSync(stage.health[0] === 'node' ? process.execPath : stage.health[0], stage.health.slice(1), {
    env: { ...process.env, ...env },
  });
  healthy = check.status === 0;
}
const seconds = ((performance.now() - begun) / 1000).toFixed(1);
// As `docker compose exec posthorn posthorn doctor`, beside the service.
const doctor = confined(stage, ['posthorn', 'doctor'], env);
let diagnosis = '';
doctor.stdout.on('data', (chunk) => {
  diagnosis += chunk;
});
if (healthy) await ended(doctor);
const page = healthy ? await (await fetch(`http://127.0.0.1:${env.PORT}/sign-up`)).text() : '';
service.kill('SIGTERM');
for (let i = 0; i < 80 && code === undefined; i++) await sleep(500);
writeFileSync(join(folder, 'service.log'), said);
writeFileSync(join(folder, 'doctor.log'), diagnosis);
const report = {
  healthy,
  healthyAfterSeconds: Number(seconds),
  servesTheApp: page.includes('<div id="app">'),
  hasTheCommand: diagnosis.includes('Data folder /data'),
  endedWith: code ?? 'still running',
  megabytes: { posthorn: own, image: whole },
};
console.log(JSON.stringify(report, null, 2));
if (!keep)
  for (const name of ['base', 'build', 'final', 'data', 'package'])
    rmSync(join(folder, name), { recursive: true, force: true });
process.exit(healthy && report.servesTheApp && report.hasTheCommand && code === 0 ? 0 : 1);
