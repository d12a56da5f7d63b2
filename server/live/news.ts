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
