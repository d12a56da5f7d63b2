import type { SendStep } from '#contracts/posts';

/** The kinds of record whose changes are pushed to open tabs. */
export type LiveKind =
  | 'post'
  | 'approval'
  | 'account'
  | 'webhook'
  | 'media'
  | 'comment'
  | 'slot'
  | 'label'
  | 'template'
  | 'statistics'
  | 'member'
  | 'notification'
  | 'presence'
  | 'workspace'
  | 'clock'
  /** The credentials of a network; the id is its key. */
  | 'provider'
  /** The forecast for scheduled posts; the id is that of the workspace. */
  | 'forecast'
  /** Steps of a send in progress. Not stored for tabs that resume, which read the current steps instead. */
  | 'progress';

/** Says that a record changed, not how. Tabs fetch it themselves, with their own rights. */
export interface LiveChange {
  readonly workspaceId: string;
  readonly kind: LiveKind;
  readonly id: string;
  /** For the toast. */
  readonly text?: string;
  /** Only for `progress`. */
  readonly steps?: readonly SendStep[];
}

/** The access of this user, or of everybody (`*`), changed: open streams check it again. */
export interface AccessChange {
  readonly accessOf: string;
}

export interface LiveEvent extends Omit<LiveChange, 'kind' | 'id'> {
  /** The same on every instance. */
  readonly eventId: string;
  /** `resync`: events may have been missed, so read everything again. */
  readonly kind: LiveKind | 'resync';
  readonly id?: string;
}

/** A workspace id for changes that concern all workspaces. */
export const everyWorkspace = '*';

export const channel = 'posthorn_live';

/**
 * For the `returning` clause of a statement that changes a record: PostgreSQL notifies open tabs on commit, without a
 * query of its own.
 */
export const notifyTabs = (kind: LiveKind, { id = 'id', workspaceId = 'workspace_id' } = {}) =>
  `pg_notify('${channel}', json_build_object(
     'eventId', gen_random_uuid(), 'workspaceId', ${workspaceId}, 'kind', '${kind}', 'id', ${id})::text)`;
