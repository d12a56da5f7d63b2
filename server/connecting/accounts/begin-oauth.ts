import { randomBytes } from 'node:crypto';
import type { Caller } from '#server/base/context';
import { badInput, Refusal } from '#server/base/errors';
import type { Outbound } from '#server/base/outbound/guarded-client';
import { sha256 } from '#server/base/sha256';
import type { Connect, Network, Registration } from '#server/networks/network';
import { NetworkTrouble } from '#server/networks/trouble';
import type { ConnectionSecrets } from './connection-secrets.ts';
import type { ConnectionStore } from './connection-store.ts';
import type { NetworkAccess } from './network-access.ts';

/** How long a person may take at the network. */
export const connectionMs = 20 * 60_000;

type Redirecting = Exclude<Connect, { kind: 'Form' }>;

/** Sends a person to a network, where they allow the access. */
export const createOAuthStart = ({
  store,
  secrets,
  networkAccess,
  outbound,
  isLive,
  redirectUri,
}: {
  store: ConnectionStore;
  secrets: ConnectionSecrets;
  networkAccess: NetworkAccess;
  outbound: Outbound;
  isLive: (network: Network) => boolean;
  redirectUri: (network: Network) => string;
}) => {
  /** Accepts `mastodon.social`, `https://mastodon.social/` and `@anna@mastodon.social`. */
  const serverFrom = (network: Network, typed: string): { server: string; sandbox: boolean } => {
    const text = typed.trim().replace(/^@?[^@\s]+@/, '');
    if (text === '' && !isLive(network)) return { server: networkAccess.sandboxServer(network), sandbox: true };
    const url = /^https?:\/\//.test(text) ? text : `https://${text}`;
    const checked = outbound.checkUrl(url);
    if (!checked.ok)
      throw badInput({ path: 'values.server', code: 'BadServer', message: `cannot be used. ${checked.message}` });
    return { server: checked.url.origin, sandbox: false };
  };

  /**
   * A new registration if the server forgets them, or if an unfinished attempt suggests that it forgot the shared one.
   */
  const ownRegistration = async (
    { workspaceId }: Caller,
    network: Network,
    sandbox: boolean,
    server: string,
  ): Promise<Registration | undefined> => {
    const isStuck = await store.hasUnfinished(workspaceId, network.key, networkAccess.toStored(server), connectionMs);
    const isShared = !isStuck && (await networkAccess.keepsRegistrations(network, sandbox, server));
    return isShared ? undefined : networkAccess.registerAnew(network, sandbox, server);
  };

  const beginOAuth = async (caller: Caller, network: Network, connect: Redirecting, typed: string): Promise<string> => {
    const { server, sandbox } =
      connect.kind === 'ServerOAuth' ? serverFrom(network, typed) : { server: '', sandbox: !isLive(network) };
    const registration = await toRefusal(network, ownRegistration(caller, network, sandbox, server));
    const site = registration
      ? networkAccess.siteWith(network, sandbox, server, registration)
      : await toRefusal(network, networkAccess.site(network, sandbox, server));
    const state = randomBytes(32).toString('base64url');
    const verifier = randomBytes(48).toString('base64url');
    const { workspaceId, userId } = caller;
    await secrets.insert(
      {
        id: connectionIdOf(state),
        workspaceId,
        userId,
        network: network.key,
        server: networkAccess.toStored(server),
        sandbox,
      },
      { verifier, ...(registration && { registration }) },
    );
    const challenge = sha256(verifier, 'base64url');
    return connect.authorizeUrl(site, { redirectUri: redirectUri(network), state, challenge });
  };

  return { serverFrom, begin: beginOAuth };
};

/** A connection is found by the hash of the state that the network sends back. */
export const connectionIdOf = (state: string) => sha256(state, 'base64url');

/** Shows an error of the network to the person who is connecting. */
export const toRefusal = async <T>(network: Network, work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof NetworkTrouble)) throw error;
    throw new Refusal('Conflict', `${network.name} could not be connected. ${error.message}`);
  }
};
