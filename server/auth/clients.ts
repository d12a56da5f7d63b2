import { isUrl } from '#contracts/is-url';
import type { AuditLog } from '#server/audit/audit-log';
import type { Clock } from '#server/clock';
import { notFound } from '#server/errors';
import { newId } from '#server/ids';
import type { ClientStore } from './store.ts';

export type Clients = ReturnType<typeof createClients>;

/** The MCP clients that act for a user. They live by the wall clock, which is in their tokens. */
export const createClients = ({
  store,
  forgetGrants,
  audit,
  clock,
}: {
  store: ClientStore;
  /** Ends codes and grants of the embedded provider: a code that is redeemed later would count as new access. */
  forgetGrants: (userId: string) => Promise<unknown>;
  audit: AuditLog;
  clock: Clock;
}) => {
  const lastUsed = new Map<string, { userId: string; clientId: string; scopes: readonly string[]; at: Date }>();

  return {
    given: async ({
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
        await store.give(newId('client', now), userId, clientId, name, scopes, now);
        await store.usedRegistrations([{ clientId, at: now }]);
        const details = { clientId, name, scopes };
        await audit.write({ event: 'consent.given', workspaceId, userId, requestId, details });
      });
    },

    list: async (userId: string) =>
      (await store.list(userId)).map(({ lastUsedAt, ...client }) => ({
        ...client,
        // The address of its document, which nobody but that host can have published.
        ...(isUrl(client.clientId) && { host: new URL(client.clientId).host }),
        ...(lastUsedAt !== null && { lastUsedAt }),
      })),

    isGiven: async (userId: string, clientId: string) =>
      (await store.list(userId)).some((client) => client.clientId === clientId),

    /** Its tokens stop working with the next request. */
    end: async (who: { userId: string; workspace?: { id: string } }, id: string, requestId?: string) => {
      const { userId, workspace } = who;
      await store.transaction(async () => {
        const ended = await store.end(userId, id, clock.now());
        if (ended === undefined) throw notFound('client', id);
        await audit.write({
          event: 'client.ended',
          workspaceId: workspace?.id,
          userId,
          requestId,
          details: { ...ended },
        });
      });
    },

    /** The client itself gives a token back (RFC 7009). */
    revoked: async ({ userId, clientId }: { userId: string; clientId: string }) => {
      const now = clock.now();
      await store.transaction(async () => {
        await store.endOf(newId('client', now), userId, clientId, now);
        await audit.write({ event: 'client.ended', userId, details: { clientId, by: 'the client' } });
      });
    },

    endAll: async (userId: string) => {
      await store.endAll(userId, clock.now());
      await forgetGrants(userId);
    },

    used: (userId: string, clientId: string, scopes: Iterable<string>) => {
      lastUsed.set(`${userId} ${clientId}`, { userId, clientId, scopes: [...scopes], at: clock.now() });
    },

    /** Called once a minute and at the end, so that a request costs no write. */
    saveLastUsed: async () => {
      if (lastUsed.size === 0) return;
      const used = [...lastUsed.values()].map((one) => ({ ...one, id: newId('client', one.at) }));
      lastUsed.clear();
      await store.used(used);
      await store.usedRegistrations(used);
    },
  };
};
