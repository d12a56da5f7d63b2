import type { Choice } from '#contracts/providers';
import { type Database, sql } from '#server/base/store/database';
import type { AccountRow } from './account-row.ts';

/**
 * Each server has its own ids, and so does the sandbox, so both are part of the key. Names that no search returned for
 * a year are removed.
 */
const saveChoiceNames = sql(
  'accounts.saveChoiceNames',
  `with old as (delete from choice_names where workspace_id = $1 and seen_at < posthorn_now() - interval '1 year')
   insert into choice_names (workspace_id, sandbox, server, option, value, label)
   select $1, $2, $3, $4, c.value, c.label from jsonb_to_recordset($5::jsonb) c (value text, label text)
   on conflict (workspace_id, sandbox, server, option, value) do update
      set label = excluded.label, seen_at = posthorn_now()`,
);
const findChoiceNames = sql(
  'accounts.findChoiceNames',
  `select a.id as account_id, n.option, n.value, n.label
     from accounts a join choice_names n using (workspace_id, sandbox, server)
    where a.workspace_id = $1 and a.id = any($2) and n.value = any($3) and split_part(n.option, '.', 1) = a.network`,
);

export type ChoiceNameStore = ReturnType<typeof createChoiceNameStore>;

/** The names of option values, as networks returned them in searches. */
export const createChoiceNameStore = (db: Database) => ({
  save: async (
    { workspaceId, sandbox, server }: Pick<AccountRow, 'workspaceId' | 'sandbox' | 'server'>,
    option: string,
    choices: readonly Choice[],
  ) => {
    const distinct = [...new Map(choices.map((choice) => [choice.value, choice])).values()];
    if (distinct.length === 0) return;
    await db.run(saveChoiceNames, [workspaceId, sandbox, server, option, JSON.stringify(distinct)]);
  },
  find: (workspaceId: string, accountIds: readonly string[], values: readonly string[]) =>
    db.query(findChoiceNames, [workspaceId, accountIds, values]),
});
