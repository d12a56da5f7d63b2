import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Statement } from '#server/base/store/statement';

/**
 * Every statement that a module of the service declares when it is loaded, sorted by name. Refuses two texts for one name,
 * because PostgreSQL caches a prepared statement under its name.
 */
export const readStatements = async (root: string): Promise<readonly Statement[]> => {
  const server = join(root, 'server');
  const files = (await readdir(server, { recursive: true })).filter((file) =>
    /^(?!.*\/migrations\/).*\.ts$/.test(file),
  );
  for (const file of files) {
    const path = join(server, file);
    if (/\bsql\(/.test(await readFile(path, 'utf8'))) await import(pathToFileURL(path).href);
  }
  const { declaredStatements } = await import('#server/base/store/statement');
  const statements = declaredStatements
    .filter(({ name }) => !ofOthers.has(name))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const twice = statements.find(({ name }, index) => statements[index + 1]?.name === name);
  if (twice) throw new Error(`Two statements are named ${twice.name}.`);
  return statements;
};

/** Agenda creates its table when it starts. */
const ofOthers = new Set(['agenda_jobs']);
