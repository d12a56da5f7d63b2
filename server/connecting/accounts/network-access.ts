import type { Seal } from '#server/base/secrets/seal';
import type { Network, NetworkAccount, Registration, ServerOAuthConnect, Site, Tokens } from '#server/networks/network';
import type { Sites } from '#server/networks/sites';
import type { AccountRow } from './account-row.ts';
import type { RegistrationStore } from './network-access-store.ts';

/** Stored instead of the sandbox's address, which may change with the next start. */
const sandboxPrefix = 'sandbox:';
/** A connected account uses the registration at its server every day, so an older one has no account left. */
const unusedMs = 90 * 24 * 3_600_000;

export type NetworkAccess = ReturnType<typeof createNetworkAccess>;

/** What a request to an account's network needs: its site, our registration there and the account's tokens. */
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
    server.startsWith(sandboxUrl()) ? sandboxPrefix + server.slice(sandboxUrl().length) : server;
  const toAddress = (server: string) =>
    server.startsWith(sandboxPrefix) ? sandboxUrl() + server.slice(sandboxPrefix.length) : server;

  const siteAt = (network: Network, sandbox: boolean, server: string, registration?: Registration): Site =>
    (sandbox ? sites.sandbox : sites.live)(network, {
      server: toAddress(server),
      ...(registration && { registration }),
    });

  const placeOf = (network: Network, server: string) => `network_apps:${network.key} ${server}:credentials`;

  /** Decrypts a registration; undefined if its redirect address is not our current one. */
  const openRegistration = (network: Network, server: string, stored: string | undefined): Registration | undefined => {
    if (stored === undefined) return undefined;
    const { redirect, ...registration } = JSON.parse(seal.open(stored, placeOf(network, server))) as Registration & {
      redirect: string;
    };
    return redirect === redirectUri(network) ? registration : undefined;
  };

  const register = (own: ServerOAuthConnect, network: Network, site: Site) =>
    own.register(site, { redirectUri: redirectUri(network), website });

  /** Our registration at a server. Registers on first use, and again after our own address has changed. */
  const registrationAt = async (
    network: Network,
    sandbox: boolean,
    server: string,
  ): Promise<Registration | undefined> => {
    if (network.connect.kind !== 'ServerOAuth') return undefined;
    const before = await store.find(network.key, server);
    const current = openRegistration(network, server, before);
    if (current) return current;
    const registration = await register(network.connect, network, siteAt(network, sandbox, server));
    const json = JSON.stringify({ ...registration, redirect: redirectUri(network) });
    await store.save(network.key, server, seal.seal(json, placeOf(network, server)), before);
    // If two processes registered at once, the first one saved wins. Both must use it, or a code could not be
    // exchanged.
    return openRegistration(network, server, await store.find(network.key, server)) ?? registration;
  };

  /** Cached by row, because many sends share one and decrypting takes time. */
  const accountCache = new WeakMap<AccountRow, NetworkAccount>();

  const tokensPlace = (accountId: string) => `accounts:${accountId}:tokens`;

  /** The account with decrypted tokens; undefined if it is disconnected. */
  const open = (row: AccountRow): NetworkAccount | undefined => {
    if (row.tokens === null) return undefined;
    const cached = accountCache.get(row);
    if (cached) return cached;
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
    accountCache.set(row, account);
    return account;
  };

  const site = async (network: Network, sandbox: boolean, server: string): Promise<Site> =>
    siteAt(network, sandbox, server, await registrationAt(network, sandbox, toStored(server)));

  return {
    toStored,

    /** The sandbox of a network has a single server. */
    sandboxServer: (network: Network) => sites.sandbox(network).host('server'),

    site,

    /** Uses the registration that issued the account's tokens. */
    siteOf: (network: Network, row: AccountRow): Promise<Site> => {
      const own = open(row)?.tokens.registration;
      return own
        ? Promise.resolve(siteAt(network, row.sandbox, row.server, own))
        : site(network, row.sandbox, row.server);
    },

    siteWith: (network: Network, sandbox: boolean, server: string, registration: Registration): Site =>
      siteAt(network, sandbox, server, registration),

    /** Registers for a single connection, if the shared registration may not work. */
    registerAnew: async (network: Network, sandbox: boolean, server: string): Promise<Registration | undefined> =>
      network.connect.kind === 'ServerOAuth'
        ? register(network.connect, network, siteAt(network, sandbox, server))
        : undefined,

    keepsRegistrations: async (network: Network, sandbox: boolean, server: string): Promise<boolean> =>
      network.connect.kind !== 'ServerOAuth' || network.connect.keepsRegistrations(siteAt(network, sandbox, server)),

    /** Some servers delete unused registrations. */
    forgetRegistration: (network: Network, server: string) => store.remove(network.key, toStored(server)),

    /** Anyone can enter any server name, so unused registrations would pile up. */
    purgeRegistrations: () => store.purge(unusedMs),

    sealTokens: (accountId: string, tokens: Tokens) => seal.seal(JSON.stringify(tokens), tokensPlace(accountId)),

    open,
  };
};
