import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { networks } from '#test/support/networks';

/** `npm run foreign-clients` is run by itself, since it installs other people's packages. */

const folder = 'bench/foreign-clients';
const read = (file: string) => JSON.parse(readFileSync(`${folder}/${file}`, 'utf8'));
const clients: { file: string; network: string; package: string; hosts?: Record<string, string> }[] =
  read('clients.json');
const { devDependencies } = read('../package.json') as { devDependencies: Record<string, string> };

test('Each network is driven by a client that other people wrote', () => {
  expect([...new Set(clients.map(({ network }) => network))].sort()).toEqual(networks.map(({ key }) => key).sort());
});

test('Each client has its file and an exact version of its package', () => {
  for (const { file, package: name } of clients) {
    expect(existsSync(`${folder}/${file}`), file).toBe(true);
    expect(devDependencies[name], name).toMatch(/^\d+\.\d+\.\d+$/);
  }
});

test('A host that only a client names belongs to a host of its network', () => {
  for (const { network, hosts = {} } of clients) {
    const own = networks.find(({ key }) => key === network)?.network.hosts ?? {};
    for (const name of Object.values(hosts)) expect(Object.keys(own)).toContain(name);
  }
});

test('The lockfile of the packages of other people names no registry', () => {
  expect(readFileSync('bench/package-lock.json', 'utf8')).not.toMatch(/"resolved"|https?:\/\/registry/);
});

test.each([
  ['fetch', 'await fetch("https://elsewhere.example/")'],
  [
    'node:https',
    'const https = await import("node:https"); await once(https.get("https://elsewhere.example/"), "response")',
  ],
  ['node:http', 'const http = await import("node:http"); await once(http.get("http://api.example/"), "response")'],
  [
    'an address of digits',
    'const net = await import("node:net"); await once(net.connect(443, "192.0.2.1"), "connect")',
  ],
  ['node:net', 'const net = await import("node:net"); await once(net.connect(25, "api.example"), "connect")'],
])('A client that asks another host through %s fails, and is reported', async (_way, code) => {
  const guard = pathToFileURL(resolve(folder, 'loopback-only.mjs')).href;
  const program = `import { once } from "node:events"; try { ${code} } catch { process.exitCode = 3 } process.disconnect()`;
  const child = spawn(process.execPath, ['--import', guard, '--input-type=module', '-e', program], {
    env: { FOREIGN_GATE_PORT: '1', FOREIGN_GATE_HOSTS: 'api.example' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [[message], [exitCode]] = await Promise.all([once(child, 'message'), once(child, 'exit')]);
  expect(message).toMatchObject({
    call: 'stray',
    args: [expect.stringMatching(/^(elsewhere\.example|api\.example|192\.0\.2\.1):\d+$/)],
  });
  expect(exitCode).toBe(3);
});
