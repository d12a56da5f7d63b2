import type { Network, NetworkAccount, Registration, ServerOAuthConnect, Site, Tokens } from '#server/networks/network';
import type { Sites } from '#server/networks/sites';
import type { Seal } from '#server/secrets/seal';
import type { AccountRow } from './account-row.ts';
import type { RegistrationStore } from './store.ts';

/** Stored instead of the sandbox's address, which may differ after the next start. */
const sandboxPlace = 'sandbox:';
/** Each connected account uses the one at its server every day. */
const unusedMs = 90 * 24 * 3_600_000;

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

  /** What is stored of a registration, if it leads back to our address as it is now. */
  const opened = (network: Network, server: string, stored: string | undefined): Registration | undefined => {
    if (stored === undefined) return undefined;
    const { redirect, ...registration } = JSON.parse(seal.open(stored, placeOf(network, server))) as Registration & {
      redirect: string;
    };
    return redirect === redirectUri(network) ? registration : undefined;
  };

  const register = (own: ServerOAuthConnect, network: Network, site: Site) =>
    own.register(site, { redirectUri: redirectUri(network), website });

  /** Our registration at a server; made when first needed, and again when our own address has changed. */
  const registrationAt = async (
    network: Network,
    sandbox: boolean,
    server: string,
  ): Promise<Registration | undefined> => {
    if (network.connect.kind !== 'ServerOAuth') return undefined;
    const before = await store.find(network.key, server);
    const known = opened(network, server, before);
    if (known) return known;
    const registration = await register(network.connect, network, bare(network, sandbox, server));
    const kept = JSON.stringify({ ...registration, redirect: redirectUri(network) });
    await store.save(network.key, server, seal.seal(kept, placeOf(network, server)), before);
    // Of two that registered at once the first counts: whoever comes back from the server is known by that one.
    return opened(network, server, await store.find(network.key, server)) ?? registration;
  };

  /** Many sends may share a row: its tokens are opened once, and forgotten with it. */
  const openedAccounts = new WeakMap<AccountRow, NetworkAccount>();

  const tokensPlace = (accountId: string) => `accounts:${accountId}:tokens`;

  /** The account as its network knows it; undefined when we have no access to it. */
  const open = (row: AccountRow): NetworkAccount | undefined => {
    if (row.tokens === null) return undefined;
    const known = openedAccounts.get(row);
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
    openedAccounts.set(row, account);
    return account;
  };

  const site = async (network: Network, sandbox: boolean, server: string): Promise<Site> =>
    bare(network, sandbox, server, await registrationAt(network, sandbox, toStored(server)));

  return {
    toStored,

    /** The one server of a network's sandbox. */
    sandboxServer: (network: Network) => sites.sandbox(network).host('server'),

    site,

    /** With the registration that its tokens belong to. */
    siteOf: (network: Network, row: AccountRow): Promise<Site> => {
      const own = open(row)?.tokens.registration;
      return own
        ? Promise.resolve(bare(network, row.sandbox, row.server, own))
        : site(network, row.sandbox, row.server);
    },

    siteWith: (network: Network, sandbox: boolean, server: string, registration: Registration): Site =>
      bare(network, sandbox, server, registration),

    /** A registration for one connection, where the one that is shared may not do. */
    registerAnew: async (network: Network, sandbox: boolean, server: string): Promise<Registration | undefined> =>
      network.connect.kind === 'ServerOAuth'
        ? register(network.connect, network, bare(network, sandbox, server))
        : undefined,

    keepsRegistrations: async (network: Network, sandbox: boolean, server: string): Promise<boolean> =>
      network.connect.kind !== 'ServerOAuth' || network.connect.keepsRegistrations(bare(network, sandbox, server)),

    /** The server no longer knows our registration: some delete unused ones. */
    forgetRegistration: (network: Network, server: string) => store.remove(network.key, toStored(server)),

    /** Anybody who connects may name any server. */
    purgeRegistrations: () => store.purge(unusedMs),

    sealTokens: (accountId: string, tokens: Tokens) => seal.seal(JSON.stringify(tokens), tokensPlace(accountId)),

    open,
  };
};
