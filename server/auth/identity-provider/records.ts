import type { AdapterFactory } from 'oidc-provider';
import type { Registrations } from '#server/auth/registrations';
import type { Clock } from '#server/clock';
import { metadataOf } from './registration.ts';
import type { IdentityStore } from './store.ts';

/** What the provider remembers, in our database. */
export const createRecords =
  ({
    store,
    registrations,
    clock,
    usedUp,
  }: {
    store: IdentityStore;
    registrations: Pick<Registrations, 'find'>;
    clock: Clock;
    usedUp: () => Error;
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
      // A code that somebody made up may hold NUL, which PostgreSQL does not look for.
      return id.includes('\0') ? undefined : store.find(model, id, clock.now());
    },
    findByUid: (uid) => store.findByUid(model, uid, clock.now()),
    findByUserCode: async () => undefined,
    consume: async (id) => {
      // The provider looks and then consumes: of several redemptions at once only the one that changed the row may go on.
      if (!(await store.consume(model, id, clock.now()))) throw usedUp();
    },
    destroy: async (id) => {
      await store.destroy(model, id);
    },
    revokeByGrantId: async (grantId) => {
      await store.revokeGrant(model, grantId);
    },
  });
