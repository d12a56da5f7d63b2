import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const bench = resolve(import.meta.dirname, '../bench');
const figures = readdirSync(bench, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
  .map(({ name }) => name);

// What the README quotes can be measured again. One after the other: each starts servers and a database.
describe('npm run bench', () => {
  test.each(figures)('-- %s still works', { timeout: 300_000 }, async (figure) => {
    const args = [resolve(bench, 'run.mjs'), figure, '--blink'];
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
    expect(said).toMatch(/^\| .+ \|$/m);
  });
});
