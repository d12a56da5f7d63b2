import type { Json } from '#server/networks/network';

export interface AccountRow {
  readonly id: string;
  readonly workspaceId: string;
  readonly network: string;
  readonly externalId: string;
  readonly name: string;
  readonly handle: string;
  readonly avatarUrl: string | null;
  readonly status: 'Connected' | 'NeedsReconnect';
  readonly grantedScopes: string[];
  readonly connectedAt: string;
  readonly disconnectedAt: string | null;
  /** Since when statistics are not read; reset by reconnecting. */
  readonly statisticsStoppedAt: string | null;
  readonly server: string;
  readonly sandbox: boolean;
  /** Encrypted; null after disconnecting. */
  readonly tokens: string | null;
  readonly facts: Json;
}

/** SQL for an `AccountRow` as JSON. */
export const accountColumns = (table: string) => {
  const instant = (column: string) => `to_char(${table}.${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
  return `jsonb_build_object('id', ${table}.id, 'workspaceId', ${table}.workspace_id, 'network', ${table}.network,
     'externalId', ${table}.external_id, 'name', ${table}.name, 'handle', ${table}.handle, 'avatarUrl', ${table}.avatar_url,
     'status', ${table}.status, 'grantedScopes', ${table}.granted_scopes, 'connectedAt', ${instant('connected_at')},
     'disconnectedAt', ${instant('disconnected_at')}, 'statisticsStoppedAt', ${instant('statistics_stopped_at')},
     'server', ${table}.server, 'sandbox', ${table}.sandbox, 'tokens', ${table}.tokens, 'facts', ${table}.facts)`;
};
