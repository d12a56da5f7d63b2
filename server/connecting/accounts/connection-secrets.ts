import type { NetworkAccount, Registration } from '#server/networks/network';
import type { ConnectionRow, ConnectionStore } from './connection-store.ts';

/** Stored encrypted until the connection is finished, possibly by a newer release, so its fields keep their names. */
interface Secret {
  readonly verifier: string;
  /** Present if this connection registered its own app at the server. */
  readonly registration?: Registration;
  /** The accounts that the person can choose from. */
  readonly found?: readonly NetworkAccount[];
}

export type ConnectionSecrets = ReturnType<typeof createConnectionSecrets>;

/** What a connection under way must not reveal. */
export const createConnectionSecrets = ({
  store,
  seal,
}: {
  store: ConnectionStore;
  seal: { seal(text: string, place: string): string; open(sealed: string, place: string): string };
}) => {
  const place = (id: string) => `connections:${id}:secret`;
  return {
    secretOf: ({ id, secret }: ConnectionRow) => JSON.parse(seal.open(secret, place(id))) as Secret,

    insert: (row: Omit<ConnectionRow, 'secret'>, secret: Secret) =>
      store.insert({ ...row, secret: seal.seal(JSON.stringify(secret), place(row.id)) }),
  };
};
