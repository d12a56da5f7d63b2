import type { Publishers } from '#contracts/scopes';
import type { Right } from '#server/access/auth/right';
import { wakes } from '#server/base/jobs/due-work';
import { type Database, type RowOf, type Statement, sql, type ValuesArgument } from '#server/base/store/database';
import { workspaceColumns } from './workspace-columns.ts';

export interface WorkspaceChange {
  readonly name?: string | undefined;
  readonly statisticsTools?: boolean | undefined;
  readonly publishers?: Publishers | undefined;
  readonly approvalPasskey?: boolean | undefined;
  readonly twoFactors?: boolean | undefined;
}

export type WorkspaceRow = RowOf<typeof workspaceById>;

const workspace = `select ${workspaceColumns} from workspaces w`;
const workspaces = sql('workspaces.all', `${workspace} order by id`).holds<{ publishers: Publishers }>();
const workspaceById = sql('workspaces.byId', `${workspace} where id = $1`).holds<{ publishers: Publishers }>();
/** Not `for update`: inserts into the workspace hold a key lock on this row, and two of them would deadlock. */
const lockWorkspace = sql('workspaces.lock', `${workspace} where id = $1 for no key update`, 'locks').holds<{
  publishers: Publishers;
}>();
const dueWorkspaces = sql('workspaces.due', `${workspace} where delete_at <= $1 order by id`).holds<{
  publishers: Publishers;
}>();
const insertWorkspace = sql('workspaces.insert', 'insert into workspaces (id, name) values ($1, $2)');
const changeWorkspace = sql(
  'workspaces.change',
  `update workspaces set name = coalesce(:name, name), statistics_tools = coalesce(:statisticsTools, statistics_tools),
     publishers = coalesce(:publishers, publishers), approval_passkey = coalesce(:approvalPasskey, approval_passkey),
     two_factors = coalesce(:twoFactors, two_factors) where id = :workspaceId`,
);
const setDeletion = sql(
  'workspaces.setDeletion',
  'update workspaces set delete_at = $2, delete_asked_by = $3 where id = $1',
);
const removeWorkspace = sql('workspaces.remove', 'delete from workspaces where id = $1 and delete_at <= $2');
const setPlan = sql('workspaces.setPlan', 'update workspaces set plan = $2 where id = $1');
/** For posts and sends that became due while publishing was stopped. */
const wakePublishing = sql('workspaces.wakePublishing', `select ${wakes('posts')}, ${wakes('sends')}`);

export type WorkspaceStore = ReturnType<typeof createWorkspaceStore>;

export const createWorkspaceStore = (db: Database) => {
  const one = async <Values, Row>(statement: Statement<Values, Row>, ...values: ValuesArgument<Values>) =>
    (await db.query(statement, ...values))[0] ?? null;

  return {
    transaction: db.transaction,

    workspaces: () => db.query(workspaces),
    workspace: (id: string) => one(workspaceById, [id]),
    insertWorkspace: ({ id, name }: { id: string; name: string }) => db.run(insertWorkspace, [id, name]),
    changeWorkspace: ({ workspaceId }: Right, change: WorkspaceChange) =>
      db.run(changeWorkspace, {
        workspaceId,
        name: change.name ?? null,
        statisticsTools: change.statisticsTools ?? null,
        publishers: change.publishers ?? null,
        approvalPasskey: change.approvalPasskey ?? null,
        twoFactors: change.twoFactors ?? null,
      }),
    setDeletion: (id: string, deletion: { at: Date; askedBy: string } | null) =>
      db.run(setDeletion, [id, deletion?.at ?? null, deletion?.askedBy ?? null]),
    /** Locks the workspace and its members until the transaction ends. Must precede any lock on an invitation. */
    lockWorkspace: (id: string) => one(lockWorkspace, [id]),
    dueWorkspaces: (now: Date) => db.query(dueWorkspaces, [now]),
    /** Deletes the workspace with everything in it, if it is due. */
    removeWorkspace: (id: string, now: Date) => db.run(removeWorkspace, [id, now]),
    wakePublishing: () => db.run(wakePublishing),
    setPlan: async (id: string, plan: string) => (await db.run(setPlan, [id, plan])) > 0,
  };
};
