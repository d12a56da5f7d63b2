import type { Publishers } from '#contracts/scopes';
import type { Right } from '#server/access/auth/right';
import { wakes } from '#server/base/jobs/due-work';
import { type Database, type Described, sql } from '#server/base/store/database';
import { type WorkspaceRow, workspaceColumns } from './workspace-row.ts';

export interface WorkspaceChange {
  readonly name?: string | undefined;
  readonly statisticsTools?: boolean | undefined;
  readonly publishers?: Publishers | undefined;
  readonly approvalPasskey?: boolean | undefined;
  readonly twoFactors?: boolean | undefined;
}

const workspace = `select ${workspaceColumns} from workspaces w`;
const workspaces = sql('workspaces.all', `${workspace} order by id`);
const workspaceById = sql('workspaces.byId', `${workspace} where id = $1`);
/** Not `for update`: inserts into the workspace hold a key lock on this row, and two of them would deadlock. */
const lockWorkspace = sql('workspaces.lock', `${workspace} where id = $1 for no key update`, 'locks');
const dueWorkspaces = sql('workspaces.due', `${workspace} where delete_at <= $1 order by id`);
const insertWorkspace = sql('workspaces.insert', 'insert into workspaces (id, name) values ($1, $2)');
const changeWorkspace = sql(
  'workspaces.change',
  `update workspaces set name = coalesce($2, name), statistics_tools = coalesce($3, statistics_tools),
     publishers = coalesce($4, publishers), approval_passkey = coalesce($5, approval_passkey),
     two_factors = coalesce($6, two_factors) where id = $1`,
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
  const one = async <Row>(statement: Described<Row>, values?: readonly unknown[]) =>
    (await db.query<Row>(statement, values))[0] ?? null;

  return {
    transaction: db.transaction,

    workspaces: () => db.query<WorkspaceRow>(workspaces),
    workspace: (id: string) => one<WorkspaceRow>(workspaceById, [id]),
    insertWorkspace: ({ id, name }: { id: string; name: string }) => db.run(insertWorkspace, [id, name]),
    changeWorkspace: ({ workspaceId }: Right, change: WorkspaceChange) =>
      db.run(changeWorkspace, [
        workspaceId,
        change.name ?? null,
        change.statisticsTools ?? null,
        change.publishers ?? null,
        change.approvalPasskey ?? null,
        change.twoFactors ?? null,
      ]),
    setDeletion: (id: string, deletion: { at: Date; askedBy: string } | null) =>
      db.run(setDeletion, [id, deletion?.at ?? null, deletion?.askedBy ?? null]),
    /** Locks the workspace and its members until the transaction ends. Must precede any lock on an invitation. */
    lockWorkspace: (id: string) => one<WorkspaceRow>(lockWorkspace, [id]),
    dueWorkspaces: (now: Date) => db.query<WorkspaceRow>(dueWorkspaces, [now]),
    /** Deletes the workspace with everything in it, if it is due. */
    removeWorkspace: (id: string, now: Date) => db.run(removeWorkspace, [id, now]),
    wakePublishing: () => db.run(wakePublishing),
    setPlan: async (id: string, plan: string) => (await db.run(setPlan, [id, plan])) > 0,
  };
};
