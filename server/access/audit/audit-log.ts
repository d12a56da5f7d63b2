import type { AuditEntry } from '#contracts/audit';
import type { ServerAuditEntry } from '#contracts/installation';
import { bounds } from '#server/base/bounds';
import type { Clock } from '#server/base/clock';
import { newId } from '#server/base/ids';
import type { AuditRow, AuditStore } from './store.ts';

const maxEntries = 200;

interface AuditEvent {
  readonly event: string;
  readonly workspaceId?: string | undefined;
  readonly userId?: string | undefined;
  readonly client?: string | undefined;
  readonly requestId?: string | undefined;
  /** Must not contain secrets. */
  readonly details?: Record<string, unknown>;
}

/** An agent's request may be as long as a post, and one response holds 200 entries. */
const shorten = (details: Record<string, unknown>): Record<string, unknown> =>
  JSON.stringify(details).length <= bounds.auditBytes
    ? details
    : Object.fromEntries(Object.entries(details).map(([name, value]) => [name, shortenValue(value)]));

const shortenValue = (value: unknown) => {
  const text = JSON.stringify(value) ?? '';
  if (text.length <= bounds.auditBytes / 8) return value;
  const { id } = (value ?? {}) as { id?: unknown };
  return { ...(typeof id === 'string' && { id: id.slice(0, 100) }), leftOut: `${text.length} characters` };
};

export type AuditLog = ReturnType<typeof createAuditLog>;

/** Who did what. An entry is written in the transaction of the change it describes, and never updated. */
export const createAuditLog = ({
  store,
  retentionMs,
  clock,
}: {
  store: AuditStore;
  retentionMs: number;
  clock: Clock;
}) => ({
  write: async ({ event, workspaceId, userId, client, requestId, details = {} }: AuditEvent) => {
    const now = clock.now();
    await store.insert({
      id: newId('audit', now),
      workspaceId,
      userId: userId ?? null,
      event,
      client: client ?? null,
      details: JSON.stringify(shorten(details)),
      requestId: requestId ?? null,
      at: now,
    });
  },

  newest: async (workspaceId: string): Promise<AuditEntry[]> =>
    (await store.newest(workspaceId, maxEntries)).map(toEntry),

  /** What belongs to no workspace. */
  newestOfServer: async (): Promise<ServerAuditEntry[]> =>
    (await store.listForService(maxEntries)).map((row) => ({
      ...toEntry(row),
      ...(row.person !== null && { person: row.person }),
    })),

  /** The latest entry of this event that belongs to no workspace. */
  newestForService: store.newestForService,

  purge: () => store.purge(new Date(clock.now().getTime() - retentionMs)),
});

const toEntry = ({ id, event, userId, client, details, createdAt }: AuditRow): AuditEntry => ({
  id,
  event,
  ...(userId !== null && { userId }),
  ...(client !== null && { client }),
  details,
  createdAt,
});
