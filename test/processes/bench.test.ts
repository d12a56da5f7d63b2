import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from '#scripts/chromium';
import { buildProgram, buildWeb } from '#test/support/shared';

const bench = resolve(import.meta.dirname, '../../bench');
const folders = readdirSync(bench).filter((name) => existsSync(join(bench, name, 'measure.mjs')));
const hasBrowser = findChromium() !== undefined;
const metrics = folders.filter((name) => name !== 'web' || hasBrowser);
const folder = mkdtempSync(join(tmpdir(), 'posthorn-results-'));
const committed = join(bench, 'RESULTS.md');

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The section of a figure, with its heading. */
const sectionOf = (written: string, name: string) =>
  (written.split(/^(?=## )/m).find((section) => section.startsWith(`## ${name}\n`)) ?? '').trim();

// Every number that the README quotes can be measured again. With --blink the metrics share a database and more.
describe('npm run bench', () => {
  const before = readFileSync(committed, 'utf8');
  const results = join(folder, 'RESULTS.md');
  let said = '';

  beforeAll(async () => {
    await Promise.all([buildProgram(), buildWeb()]);
    // Without a name it is all of them.
    const args = [join(bench, 'run.mjs'), ...(hasBrowser ? [] : metrics), '--blink', '--results', results];
    const { PATH, HOME, TMPDIR } = process.env;
    const child = spawn(process.execPath, args, { env: { PATH, HOME, TMPDIR }, stdio: ['ignore', 'pipe', 'pipe'] });
    const [out, trouble, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    expect(code, trouble).toBe(0);
    said = out;
    // Four minutes when nothing else runs, and several times as long on a busy machine.
  }, 1_800_000);

  test.each(metrics)('measures %s and writes its section', (figure) => {
    expect(said).toContain(`## ${figure}\n`);
    const section = sectionOf(readFileSync(results, 'utf8'), figure);
    expect(section).toMatch(
      /^\*.+ UTC, commit .+, \d+ cores.+ GiB of memory, Node v.+, PostgreSQL \d.+, load average .+\*$/m,
    );
    expect(section).toMatch(/^\| .+ \|$/m);
  });

  test('tells of every aim whether it is met, and where a missed one is explained', () => {
    const aims = sectionOf(readFileSync(results, 'utf8'), 'aims').split('\n').slice(4);
    expect(aims.length).toBeGreaterThan(20);
    for (const aim of aims.filter((row) => metrics.some((name) => row.startsWith(`| ${name} `))))
      expect(aim).toMatch(/\| (met|\*\*missed\*\*, \[why\]\(README\.md#aims-that-are-missed\)) +\|$/);
    expect(readFileSync(join(bench, 'README.md'), 'utf8')).toContain('## Aims that are missed\n');
  });

  test('leaves the committed results alone in a blink', () => {
    expect(readFileSync(committed, 'utf8')).toBe(before);
  });
});

test('a run of one figure writes its own section and its own aims alone', async () => {
  const { writeResult } = await import(pathToFileURL(join(bench, 'results.mjs')).href);
  const file = join(folder, 'some.md');
  const write = (name: string, sends: number) =>
    writeResult(file, folders, name, { text: `## ${name}\n\n${sends}`, values: { 'CPU a send': sends } }, '*now*');
  const aimOf = (figure: string) =>
    sectionOf(readFileSync(file, 'utf8'), 'aims')
      .split('\n')
      .filter((row) => row.startsWith(`| ${figure} `));
  write('publish', 0.5);
  const [publish] = aimOf('publish');
  expect(publish).toContain('| 0.50 ms ');
  expect(aimOf('webhooks').join()).toContain('not measured yet');
  write('webhooks', 7);
  expect(sectionOf(readFileSync(file, 'utf8'), 'publish')).toBe('## publish\n\n*now*\n\n0.5');
  expect(aimOf('publish')[0]).toBe(publish);
  write('publish', 2);
  expect(sectionOf(readFileSync(file, 'utf8'), 'webhooks')).toBe('## webhooks\n\n*now*\n\n7');
  expect(aimOf('publish')[0]).toContain('**missed**');
});

test('analytics waits when the service is busy, and times its calls again', async () => {
  const { asking, timed } = await import(pathToFileURL(join(bench, 'analytics/ask.mjs')).href);
  const statuses = [200, 429, 429, 200, 200];
  let answered = 0;
  const server = createServer((_, res) => {
    res.writeHead(statuses[answered++] ?? 500, { 'retry-after': '0' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const call = asking(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    expect(await timed(() => call({}), 2)).toBeGreaterThan(0);
    expect(answered).toBe(statuses.length);
    await expect(timed(() => call({}), 1)).rejects.toThrow('500');
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('publish says whether a send is as prompt and as cheap with 100,000 scheduled as with 1,000', async () => {
  const { report, valuesOf } = await import(pathToFileURL(join(bench, 'publish/report.mjs')).href);
  const { aims, isMet, measuredFor } = await import(pathToFileURL(join(bench, 'aims.mjs')).href);
  const round = (p99: number, cpuMs: number) => ({ p50: p99 / 2, p99, earliest: 9, perSecond: 1000, cpuMs });
  const measured = (p99: number, cpuMs: number) => {
    const bare = ['bare loop', [round(300, 0.2), round(310, 0.2)]] as const;
    const samples = new Map([
      [1_000, new Map([bare, ['Posthorn', [round(900, 0.6), round(900, 0.6)]]])],
      [10_000, new Map([bare, ['Posthorn', [round(900, 0.6), round(900, 0.6)]]])],
      [100_000, new Map([bare, ['Posthorn', [round(p99, cpuMs), round(p99, cpuMs)]]])],
    ]);
    const grown = aims.filter(({ what }: { what: string }) => what.endsWith('with the most scheduled to the fewest'));
    const met = grown.map((aim: object) => isMet(aim, measuredFor(aim, valuesOf(samples))));
    return { met, text: report({ samples, due: 1_000, warmUps: 3, rounds: 2 }) };
  };
  expect(measured(990, 0.66).met).toEqual([true, true]);
  expect(measured(53_000, 0.66).met).toEqual([false, true]);
  expect(measured(990, 51.6).met).toEqual([true, false]);
  const last = measured(1_800, 0.75).text.trim().split('\n').at(-1);
  expect(last).toMatch(/^\| 100000 +\| Posthorn .+ \| 2\.00 +\| 0\.75 \[0\.75–0\.75\] \| 1\.25 +\|$/);
});

describe('npm run bench -- guard', () => {
  const imported = () => import(pathToFileURL(join(bench, 'guard/compare.mjs')).href);
  const rounds = (costs: Record<string, number>) =>
    [0.9, 1, 1.2].map((times) => Object.fromEntries(Object.entries(costs).map(([what, cost]) => [what, cost * times])));

  test('names what costs 30 % more than the reference in the results, and nothing else', async () => {
    const { comparisonTable, findWorse, mediansOf, readReference, referenceTable } = await imported();
    const { readRows, writeResult } = await import(pathToFileURL(join(bench, 'results.mjs')).href);
    const file = join(folder, 'guard.md');
    const saved = [rounds({ 'posts.get': 1, 'posts.list': 0.5 }), rounds({ 'a send': 0.031 })];
    const text = `## guard\n\n${referenceTable(saved)}\n`;
    writeResult(file, ['guard'], 'guard', { text, values: {} }, '*now*');
    const reference = readReference(readRows(file, 'guard'));
    expect(Object.fromEntries(reference)).toEqual({ 'posts.get': 1, 'posts.list': 0.5, 'a send': 0.031 });

    const measured = mediansOf([rounds({ 'posts.get': 1.29, 'posts.list': 0.66, new: 9 }), rounds({ 'a send': 0.02 })]);
    expect(findWorse(reference, measured)).toEqual(['posts.list']);
    const table: string = comparisonTable(reference, measured);
    expect(table.split('\n').filter((row) => row.includes('worse'))).toEqual([
      expect.stringMatching(/^\| posts\.list \| 0\.50 +\| 0\.66 +\| 1\.32 +\| \*\*worse\*\* \|$/),
    ]);
  });

  test('says how to make a reference where there is none, before it measures anything', () => {
    const args = [join(bench, 'run.mjs'), 'guard', '--results', join(folder, 'none.md')];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect([status, stderr]).toEqual([2, expect.stringContaining('npm run bench -- guard --save\n')]);
  });

  test('blames only what is worse when it is measured again', async () => {
    const { findWorse, lowerOf } = await imported();
    const reference = new Map(Object.entries({ 'posts.get': 1, 'a send': 1, 'a forecast': 1 }));
    const measured = new Map(Object.entries({ 'posts.get': 1, 'a send': 2, 'a forecast': 2 }));
    const again = new Map(Object.entries({ 'a send': 1.1, 'a forecast': 1.5 }));
    expect(findWorse(reference, lowerOf(measured, again))).toEqual(['a forecast']);
  });
});
