/** What open tabs hear about. */
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
  | 'workspace'
  | 'clock';

/** What open tabs are told: that something changed, not what. They read it themselves, with their own rights. */
export interface News {
  readonly workspaceId: string;
  readonly kind: LiveKind;
  readonly id: string;
  /** For the toast. */
  readonly text?: string;
}

/** The rights of this user changed, or of everybody: open streams check them again. */
export interface AccessNews {
  readonly accessOf: string;
}

export interface LiveEvent extends Omit<News, 'kind' | 'id'> {
  /** The same on every instance. */
  readonly eventId: string;
  /** `resync`: something may have been missed. */
  readonly kind: LiveKind | 'resync';
  readonly id?: string;
}

/** In place of a workspace: what concerns them all. */
export const everyWorkspace = '*';

export const channel = 'posthorn_live';

/**
 * For the `returning` of a statement that changes something: open tabs hear of it when that is committed, and it costs no
 * query of its own.
 */
export const tellsOf = (kind: LiveKind, { id = 'id', workspaceId = 'workspace_id' } = {}) =>
  `pg_notify('${channel}', json_build_object(
     'eventId', gen_random_uuid(), 'workspaceId', ${workspaceId}, 'kind', '${kind}', 'id', ${id})::text)`;
