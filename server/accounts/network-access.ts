import type { Network, NetworkAccount, Registration, Site, Tokens } from '#server/networks/network';
import type { Sites } from '#server/networks/sites';
import type { Seal } from '#server/secrets/seal';
import type { AccountRow } from './account-row.ts';
import type { RegistrationStore } from './store.ts';

/** Stored instead of the sandbox's address, which may differ after the next start. */
const sandboxPlace = 'sandbox:';

export type NetworkAccess = ReturnType<typeof createNetworkAccess>;

/** How to reach the network of an account: its site, our registration there and the account's tokens. */
export const createNetworkAccess = ({
  store,
  sites,
  seal,
  sandboxUrl,
  redirectUri,
  website,
}: {
  store: RegistrationStore;
  sites: Sites;
  seal: Seal;
  sandboxUrl: () => string;
  redirectUri: (network: Network) => string;
  website: string;
}) => {
  const toStored = (server: string) =>
    server.startsWith(sandboxUrl()) ? sandboxPlace + server.slice(sandboxUrl().length) : server;
  const toAddress = (server: string) =>
    server.startsWith(sandboxPlace) ? sandboxUrl() + server.slice(sandboxPlace.length) : server;

  const bare = (network: Network, sandbox: boolean, server: string, registration?: Registration): Site =>
    (sandbox ? sites.sandbox : sites.live)(network, {
      server: toAddress(server),
      ...(registration && { registration }),
    });

  const placeOf = (network: Network, server: string) => `network_apps:${network.key} ${server}:credentials`;

  /** Our registration at a server; made when first needed, and again when our own address has changed. */
  const registrationAt = async (
    network: Network,
    sandbox: boolean,
    server: string,
  ): Promise<Registration | undefined> => {
    if (network.connect.kind !== 'ServerOAuth') return undefined;
    const known = await store.find(network.key, server);
    if (known !== undefined) {
      const { redirect, ...registration } = JSON.parse(seal.open(known, placeOf(network, server))) as Registration & {
        redirect: string;
      };
      if (redirect === redirectUri(network)) return registration;
    }
    const request = { redirectUri: redirectUri(network), website };
    const registration = await network.connect.register(bare(network, sandbox, server), request);
    const kept = JSON.stringify({ ...registration, redirect: request.redirectUri });
    await store.save(network.key, server, seal.seal(kept, placeOf(network, server)));
    return registration;
  };

  /** Many sends may share a row: its tokens are opened once, and forgotten with it. */
  const opened = new WeakMap<AccountRow, NetworkAccount>();

  const tokensPlace = (accountId: string) => `accounts:${accountId}:tokens`;

  return {
    toStored,

    /** The one server of a network's sandbox. */
    sandboxServer: (network: Network) => sites.sandbox(network).host('server'),

    site: async (network: Network, sandbox: boolean, server: string): Promise<Site> =>
      bare(network, sandbox, server, await registrationAt(network, sandbox, toStored(server))),

    /** The server no longer knows our registration: some delete unused ones. */
    forgetRegistration: (network: Network, server: string) => store.remove(network.key, toStored(server)),

    sealTokens: (accountId: string, tokens: Tokens) => seal.seal(JSON.stringify(tokens), tokensPlace(accountId)),

    /** The account as its network knows it; undefined when we have no access to it. */
    open: (row: AccountRow): NetworkAccount | undefined => {
      if (row.tokens === null) return undefined;
      const known = opened.get(row);
      if (known) return known;
      const account: NetworkAccount = {
        id: row.externalId,
        name: row.name,
        handle: row.handle,
        ...(row.avatarUrl !== null && { avatarUrl: row.avatarUrl }),
        ...(row.server !== '' && { server: toAddress(row.server) }),
        facts: row.facts,
        tokens: JSON.parse(seal.open(row.tokens, tokensPlace(row.id))) as Tokens,
        scopes: row.grantedScopes,
      };
      opened.set(row, account);
      return account;
    },
  };
};
