import type { AuditEntry } from '#contracts/audit';
import { bounds } from '#server/bounds';
import type { Clock } from '#server/clock';
import { newId } from '#server/ids';
import type { AuditStore } from './store.ts';

const shown = 200;

interface AuditEvent {
  readonly event: string;
  readonly workspaceId?: string | undefined;
  readonly userId?: string | undefined;
  readonly client?: string | undefined;
  readonly requestId?: string | undefined;
  /** Never a secret. */
  readonly details?: Record<string, unknown>;
}

/** Two hundred entries are one answer, and a request of an agent may be as long as a post. */
const shortened = (details: Record<string, unknown>): Record<string, unknown> =>
  JSON.stringify(details).length <= bounds.auditBytes
    ? details
    : Object.fromEntries(Object.entries(details).map(([name, value]) => [name, shortenedValue(value)]));

const shortenedValue = (value: unknown) => {
  const text = JSON.stringify(value) ?? '';
  if (text.length <= bounds.auditBytes / 8) return value;
  const { id } = (value ?? {}) as { id?: unknown };
  return { ...(typeof id === 'string' && { id: id.slice(0, 100) }), leftOut: `${text.length} characters` };
};

export type AuditLog = ReturnType<typeof createAuditLog>;

/** Who did what. Written inside the transaction of what it tells about, and never changed. */
export const createAuditLog = ({ store, keptMs, clock }: { store: AuditStore; keptMs: number; clock: Clock }) => ({
  write: async ({ event, workspaceId, userId, client, requestId, details = {} }: AuditEvent) => {
    const now = clock.now();
    const id = newId('audit', now);
    const kept = shortened(details);
    await store.insert(id, workspaceId, userId ?? null, event, client ?? null, kept, requestId ?? null, now);
  },

  newest: async (workspaceId: string): Promise<AuditEntry[]> =>
    (await store.newest(workspaceId, shown)).map((row) => ({
      id: row.id,
      event: row.event,
      ...(row.user_id !== null && { userId: row.user_id }),
      ...(row.client !== null && { client: row.client }),
      details: row.details,
      createdAt: row.created_at,
    })),

  /** The last one of this event that belongs to no workspace. */
  newestOfService: store.newestOfService,

  purge: () => store.purge(new Date(clock.now().getTime() - keptMs)),
});
