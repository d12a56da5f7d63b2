import type { AdapterFactory } from 'oidc-provider';
import type { Registrations } from '#server/access/auth/registrations';
import type { Clock } from '#server/base/clock';
import { metadataOf } from './registration.ts';
import type { IdentityStore } from './store.ts';

/** Stores the library's records in our database. */
export const createRecords =
  ({
    store,
    registrations,
    clock,
    consumedError,
  }: {
    store: IdentityStore;
    registrations: Pick<Registrations, 'find'>;
    clock: Clock;
    consumedError: () => Error;
  }): AdapterFactory =>
  (model) => ({
    upsert: (id, payload, expiresIn) => {
      const expiresAt = expiresIn === undefined ? undefined : new Date(clock.now().getTime() + expiresIn * 1000);
      return store.upsert(model, id, payload, expiresAt);
    },
    find: async (id) => {
      if (model === 'Client') {
        const client = await registrations.find(id);
        return client && metadataOf(client);
      }
      // A forged code may hold NUL, which PostgreSQL refuses as a parameter.
      return id.includes('\0') ? undefined : store.find(model, id, clock.now());
    },
    findByUid: (uid) => store.findByUid(model, uid, clock.now()),
    findByUserCode: async () => undefined,
    consume: async (id) => {
      // The library reads and then consumes, so two redemptions may both have read the code. Only one changes the row.
      if (!(await store.consume(model, id, clock.now()))) throw consumedError();
    },
    destroy: async (id) => {
      await store.destroy(model, id);
    },
    revokeByGrantId: async (grantId) => {
      await store.revokeGrant(model, grantId);
    },
  });
