import { isUrl } from '#contracts/is-url';
import type { AuditLog } from '#server/access/audit/audit-log';
import type { Clock } from '#server/base/clock';
import { notFound } from '#server/base/errors';
import { newId } from '#server/base/ids';
import type { ClientStore } from './client-store.ts';

export type Clients = ReturnType<typeof createClients>;

/** The MCP clients that act for a user. They use the wall clock, because their tokens hold wall clock times. */
export const createClients = ({
  store,
  deleteGrants,
  audit,
  clock,
}: {
  store: ClientStore;
  /**
   * Deletes codes and grants of the embedded provider, of one client or of all: a code redeemed later would count as new
   * access.
   */
  deleteGrants: (userId: string, clientId?: string) => Promise<unknown>;
  audit: AuditLog;
  clock: Clock;
}) => {
  const lastUsed = new Map<string, { userId: string; clientId: string; scopes: readonly string[]; at: Date }>();

  return {
    recordConsent: async ({
      userId,
      workspaceId,
      clientId,
      name,
      scopes,
      requestId,
    }: {
      userId: string;
      workspaceId: string | undefined;
      clientId: string;
      name: string;
      scopes: readonly string[];
      requestId: string;
    }) => {
      const now = clock.now();
      await store.transaction(async () => {
        await store.grant(newId('client', now), userId, clientId, name, scopes, now);
        await store.saveRegistrationsUsed([{ clientId, at: now }]);
        const details = { clientId, name, scopes };
        await audit.write({ event: 'consent.given', workspaceId, userId, requestId, details });
      });
    },

    list: async (userId: string) =>
      (await store.list(userId)).map(({ lastUsedAt, ...client }) => ({
        ...client,
        // The client id is the address of its metadata document, so this host has published it.
        ...(isUrl(client.clientId) && { host: new URL(client.clientId).host }),
        ...(lastUsedAt !== null && { lastUsedAt }),
      })),

    hasConsent: async (userId: string, clientId: string) =>
      (await store.list(userId)).some((client) => client.clientId === clientId),

    /** Its tokens stop working with the next request. */
    end: async (who: { userId: string; workspace?: { id: string } }, id: string, requestId?: string) => {
      const { userId, workspace } = who;
      await store.transaction(async () => {
        const client = await store.end(userId, id, clock.now());
        if (client === undefined) throw notFound('client', id);
        await deleteGrants(userId, client.clientId);
        await audit.write({
          event: 'client.ended',
          workspaceId: workspace?.id,
          userId,
          requestId,
          details: { ...client },
        });
      });
    },

    /** The client revokes its own token (RFC 7009). */
    endByClient: async ({ userId, clientId }: { userId: string; clientId: string }) => {
      const now = clock.now();
      await store.transaction(async () => {
        await store.endOf(newId('client', now), userId, clientId, now);
        await deleteGrants(userId, clientId);
        await audit.write({ event: 'client.ended', userId, details: { clientId, by: 'the client' } });
      });
    },

    endAll: async (userId: string) => {
      await store.endAll(userId, clock.now());
      await deleteGrants(userId);
    },

    used: (userId: string, clientId: string, scopes: Iterable<string>) => {
      lastUsed.set(`${userId} ${clientId}`, { userId, clientId, scopes: [...scopes], at: clock.now() });
    },

    /** Called once a minute and on stop, so that a request needs no write. */
    saveLastUsed: async () => {
      if (lastUsed.size === 0) return;
      const used = [...lastUsed.values()].map((one) => ({ ...one, id: newId('client', one.at) }));
      lastUsed.clear();
      await store.saveUsed(used);
      await store.saveRegistrationsUsed(used);
    },
  };
};
