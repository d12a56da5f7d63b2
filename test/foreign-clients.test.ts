import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { networks } from './support/networks.ts';

/** `npm run foreign-clients` is run by itself, since it installs other people's packages. */

const folder = 'test/foreign-clients';
const read = (file: string) => JSON.parse(readFileSync(`${folder}/${file}`, 'utf8'));
const clients: { file: string; network: string; package: string; hosts?: Record<string, string> }[] =
  read('clients.json');
const { dependencies } = read('package.json') as { dependencies: Record<string, string> };

test('Each network is driven by a client that other people wrote', () => {
  expect([...new Set(clients.map(({ network }) => network))].sort()).toEqual(networks.map(({ key }) => key).sort());
});

test('Each client has its file and an exact version of its package', () => {
  for (const { file, package: name } of clients) {
    expect(existsSync(`${folder}/${file}`), file).toBe(true);
    expect(dependencies[name], name).toMatch(/^\d+\.\d+\.\d+$/);
  }
});

test('A host that only a client names belongs to a host of its network', () => {
  for (const { network, hosts = {} } of clients) {
    const own = networks.find(({ key }) => key === network)?.network.hosts ?? {};
    for (const name of Object.values(hosts)) expect(Object.keys(own)).toContain(name);
  }
});

test('The lockfile names no registry', () => {
  expect(readFileSync(`${folder}/package-lock.json`, 'utf8')).not.toMatch(/"resolved"|https?:\/\/registry/);
});
