import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { findChromium } from '#scripts/chromium';

const bench = resolve(import.meta.dirname, '../bench');
const figures = readdirSync(bench, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
  .map(({ name }) => name)
  .filter((name) => name !== 'web' || findChromium() !== undefined);
const folder = mkdtempSync(join(tmpdir(), 'posthorn-results-'));
const results = join(folder, 'RESULTS.md');
const committed = join(bench, 'RESULTS.md');

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The section of a figure, with its heading. */
const sectionOf = (text: string, name: string) =>
  (text.split(/^(?=## )/m).find((section) => section.startsWith(`## ${name}\n`)) ?? '').trim();

const readIfThere = (file: string) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

// What the README quotes can be measured again. One after the other: each starts servers and a database.
describe('npm run bench', () => {
  const before = readIfThere(committed);

  test.each(figures)('-- %s still works, and writes its own section alone', { timeout: 300_000 }, async (figure) => {
    const earlier = readIfThere(results);
    const args = [resolve(bench, 'run.mjs'), figure, '--blink', '--results', results];
    const { PATH, HOME, TMPDIR } = process.env;
    const child = spawn(process.execPath, args, { env: { PATH, HOME, TMPDIR }, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    let trouble = '';
    child.stdout.on('data', (text: Buffer) => {
      said += text;
    });
    child.stderr.on('data', (text: Buffer) => {
      trouble += text;
    });
    const [code] = await once(child, 'close');
    expect(code, trouble).toBe(0);
    expect(said).toContain(`## ${figure}`);
    const written = readFileSync(results, 'utf8');
    const section = sectionOf(written, figure);
    expect(section).toMatch(/^\*.+ UTC, \d+ cores.+ GiB of memory, Node v.+, PostgreSQL \d.+, load average .+\*$/m);
    expect(section).toMatch(/^\| .+ \|$/m);
    for (const other of figures.filter((name) => name !== figure)) {
      expect(sectionOf(written, other)).toBe(sectionOf(earlier, other));
    }
  });

  test('tells of every aim whether it is met, and where a missed one is explained', () => {
    const aims = sectionOf(readFileSync(results, 'utf8'), 'aims').split('\n').slice(4);
    expect(aims.length).toBeGreaterThan(20);
    for (const aim of aims.filter((row) => figures.some((name) => row.startsWith(`| ${name} `))))
      expect(aim).toMatch(/\| (met|\*\*missed\*\*, \[why\]\(README\.md#aims-that-are-missed\)) +\|$/);
    expect(readFileSync(join(bench, 'README.md'), 'utf8')).toContain('## Aims that are missed\n');
  });

  test('leaves the committed results alone in a blink', () => {
    expect(readIfThere(committed)).toBe(before);
  });
});
