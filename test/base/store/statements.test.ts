import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test, vi } from 'vitest';
import { originOf, printStatements } from '#scripts/emit-statements';
import { readStatements } from '#scripts/statements/read-statements';
import { freshDatabase } from '#test/support/database';

const root = resolve(import.meta.dirname, '../../..');

test('generated/statements.ts says of every statement what PostgreSQL says', async () => {
  // Earlier files of this process have declared statements of their own.
  vi.resetModules();
  const statements = await readStatements(root);
  expect(statements.length).toBeGreaterThan(600);
  const fresh = await freshDatabase({ isMigrated: true });
  const printed = await printStatements(fresh.parts, statements, await originOf(root));
  await fresh.drop();
  expect(printed).toBe(await readFile(resolve(root, 'generated/statements.ts'), 'utf8'));
});
