import type { TransferRoutes } from '#contracts/transfer';
import type { RouteHandlers } from '#server/base/context';
import { idsIn } from '#server/base/ids';
import type { Exports } from './exports.ts';
import type { Imports } from './imports.ts';

/** The JSON routes; files are streamed past ts-rest. */
export const transferRoutes = ({
  imports,
  exports,
}: {
  imports: Imports;
  exports: Exports;
}): RouteHandlers<Omit<TransferRoutes, 'scheduleImport'>> => ({
  checkImport: ({ caller, body: { text, accountIds, ...settings } }) =>
    imports.check(caller, { ...settings, accountIds: idsIn(accountIds) }, whole(text)),
  listImports: async ({ caller }) => ({ imports: await imports.list(caller) }),
  getImport: ({ caller, params }) => imports.get(caller, params.id),
  listImportRows: ({ caller, params, query: { after, show } }) =>
    imports.rows(caller, params.id, { after: Number(after), problemsOnly: show === 'problems' }),
  saveImport: ({ caller, params, body }) => imports.save(caller, params.id, body),
  undoImport: ({ caller, params, body }) => imports.undo(caller, params.id, body),
  deleteImport: async ({ caller, params: { id } }) => {
    await imports.remove(caller, id);
    return { id, deleted: true };
  },
  countExport: async ({ caller, query: { from, to } }) => ({
    posts: await exports.count(caller, { from: from || null, to: to || null }),
  }),
});

async function* whole(text: string) {
  yield Buffer.from(text);
}
