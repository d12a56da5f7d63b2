import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runBounded } from '#server/media/bounded-process';
import { until } from '#test/support/until';

const MiB = 1024 * 1024;
const plenty = { timeMs: 60_000, fileBytes: 10 * MiB };
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthorn-bounded-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const sh = (script: string, bounds: Parameters<typeof runBounded>[2], how?: Parameters<typeof runBounded>[3]) =>
  runBounded('/bin/sh', ['-c', script], bounds, how);
const isAlive = (pid: number) => spawnSync('kill', ['-0', String(pid)]).status === 0;

describe('a program that works on media', () => {
  test('gives its output, runs with low priority, and sees nothing of our environment', async () => {
    const end = await sh('nice; env', plenty);
    const output = end.is === 'done' ? end.output.toString() : '';
    expect(output).toMatch(/^10\n/);
    expect(output).not.toContain('HOME=');
  });

  test('that fails is failed in its own words', async () => {
    expect(await sh('echo no such codec >&2; exit 3', plenty)).toEqual({ is: 'failed', stderr: 'no such codec' });
  });

  test('that hangs is ended, and so is one that says nothing any more', async () => {
    expect(await sh('sleep 1000', { ...plenty, timeMs: 200 })).toEqual({ is: 'ended', why: 'TookTooLong' });
    expect(await sh('echo begun; sleep 1000', { ...plenty, silentMs: 300 })).toEqual({
      is: 'ended',
      why: 'TookTooLong',
    });
  });

  test.each(['timeMs', 'silentMs'])('that went on while the service stood still is not ended (%s)', async (bound) => {
    const file = join(folder, bound);
    const end = sh(`echo begun; touch ${file}`, { ...plenty, [bound]: 300 });
    const standStill = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    while (!existsSync(file)) standStill(20);
    standStill(1000);
    expect((await end).is).toBe('done');
  });

  test('that the system kills is told as killed', async () => {
    expect(await sh('kill -9 $$', plenty)).toEqual({ is: 'ended', why: 'Killed' });
  });

  test('writes no larger file than it may', async () => {
    const file = join(folder, 'large');
    const end = await runBounded('dd', ['if=/dev/zero', `of=${file}`, 'bs=1048576', 'count=20'], plenty);
    expect(end).toEqual({ is: 'ended', why: 'TooManyBytes' });
    expect((await stat(file)).size).toBeLessThanOrEqual(plenty.fileBytes);
  });

  test.skipIf(process.platform !== 'linux')('gets no more memory than it may', async () => {
    const take = (megabytes: number) =>
      runBounded('dd', ['if=/dev/zero', 'of=/dev/null', `bs=${megabytes}M`, 'count=1'], {
        ...plenty,
        memoryBytes: 200 * MiB,
      });
    expect((await take(50)).is).toBe('done');
    expect(await take(400)).toMatchObject({ is: 'failed', stderr: expect.stringContaining('memory') });
  });

  test('that is stopped ends at once', async () => {
    const stop = new AbortController();
    const end = sh('echo begun; sleep 1000', plenty, { onOutput: () => stop.abort(), signal: stop.signal });
    expect(await end).toEqual({ is: 'ended', why: 'Stopped' });
  });

  test('ends with the service, also when that is killed', async () => {
    const file = join(folder, 'pid');
    const module = resolve(import.meta.dirname, '../../server/media/bounded-process.ts');
    const script = `import(${JSON.stringify(module)}).then(({ runBounded }) =>
      runBounded('/bin/sh', ['-c', 'echo $$ > ${file}; exec sleep 1000'], ${JSON.stringify(plenty)}))`;
    const service = spawn(process.execPath, ['--import', 'tsx', '-e', script], {
      cwd: resolve(import.meta.dirname, '../..'),
    });
    const pidOf = async () => Number(await readFile(file, 'utf8').catch(() => ''));
    await until('it has begun', async () => (await pidOf()) > 0);
    const pid = await pidOf();
    expect(isAlive(pid)).toBe(true);
    const ended = once(service, 'exit');
    service.kill('SIGKILL');
    await ended;
    await until('it has ended', () => !isAlive(pid));
  });
});
