import type { CatalogEntry } from '#contracts/catalog';
import { type DeclaredAction, recordImports, recordNames } from './contracts.ts';
import { inputJsonSchema } from './json-schema.ts';
import { banner, compactJson, lines } from './text.ts';

/** generated/catalog.ts: all actions in one record, and what GET /api/agent/tools answers. */
export const emitCatalog = (declared: readonly DeclaredAction[]) => {
  const entries: CatalogEntry[] = declared.map(({ name, action }) => ({
    name,
    description: action.description,
    policy: action.kind === 'NeedsApproval' ? 'NeedsApproval' : 'Allowed',
    inputSchema: inputJsonSchema(action.input),
  }));
  return {
    'generated/catalog.ts': lines(
      banner,
      "import type { CatalogEntry } from '#contracts/catalog';",
      recordImports(declared),
      '',
      'export const actions = {',
      recordNames(declared).map((record) => `  ...${record},`),
      '};',
      '',
      'export type ActionName = keyof typeof actions;',
      '',
      `export const catalog: CatalogEntry[] = ${compactJson(entries).trim()};`,
    ),
  };
};
