import { randomBytes } from 'node:crypto';
import type { AuditLog } from '#server/access/audit/audit-log';
import type { Rights } from '#server/access/auth/rights';
import type { Plans } from '#server/access/plans/plans';
import type { Clock } from '#server/base/clock';
import type { Caller } from '#server/base/context';
import { badInput, notFound, Refusal } from '#server/base/errors';
import { newId } from '#server/base/ids';
import type { Live } from '#server/base/live/live';
import type { Outbound } from '#server/base/outbound/guarded-client';
import { sha256 } from '#server/base/sha256';
import type { Connect, Network, NetworkAccount, Registration } from '#server/networks/network';
import type { Networks } from '#server/networks/registry';
import { NetworkTrouble } from '#server/networks/trouble';
import type { AccountAccess } from './access.ts';
import type { AccountStore } from './account-store.ts';
import type { ConnectionRow, ConnectionStore } from './connection-store.ts';
import type { NetworkAccess } from './network-access.ts';
import { toStorableAccount } from './storable-account.ts';

const connectionMs = 20 * 60_000;

/** Stored encrypted until the connection is finished, possibly by a newer release, so its fields keep their names. */
interface Secret {
  readonly verifier: string;
  /** Present if this connection registered its own app at the server. */
  readonly registration?: Registration;
  /** The accounts that the person can choose from. */
  readonly found?: readonly NetworkAccount[];
}

/** The person's next step. */
export type Step =
  | { readonly is: 'go'; readonly url: string }
  | { readonly is: 'choose'; readonly connectionId: string; readonly accounts: readonly Choice[] }
  | { readonly is: 'connected'; readonly accountIds: readonly string[] };

export interface Choice {
  readonly id: string;
  readonly name: string;
  readonly handle: string;
  readonly avatarUrl?: string;
}

export type Connecting = ReturnType<typeof createConnecting>;

/** The flow that connects an account, or reconnects one with new tokens. */
export const createConnecting = ({
  store,
  accountStore,
  networkAccess,
  access,
  networks,
  rights,
  plans,
  audit,
  live,
  outbound,
  isOffered,
  isLive,
  reconnected,
  keysWorked,
  redirectUri,
  seal,
  clock,
}: {
  store: ConnectionStore;
  accountStore: AccountStore;
  networkAccess: NetworkAccess;
  access: AccountAccess;
  networks: Networks;
  rights: Rights;
  plans: Plans;
  audit: AuditLog;
  live: Live;
  outbound: Outbound;
  isOffered: (network: Network) => boolean;
  isLive: (network: Network) => boolean;
  /** Reads the statistics of its posts at once (SPEC, Statistics rules 10). */
  reconnected: (account: { readonly workspaceId: string; readonly id: string }) => Promise<void>;
  /** Somebody signed in at the real network, so the credentials of this server are right. */
  keysWorked: (network: Network) => Promise<void>;
  redirectUri: (network: Network) => string;
  seal: { seal(text: string, place: string): string; open(sealed: string, place: string): string };
  clock: Clock;
}) => {
  const find = (key: string): Network => {
    const network = networks.find(key);
    if (network === undefined) throw notFound('network', key);
    if (!isOffered(network)) {
      throw new Refusal(
        'Conflict',
        `${network.name} is not set up on this server. Its operator sets ${network.settings.join(' and ')}.`,
      );
    }
    return network;
  };

  const place = (id: string) => `connections:${id}:secret`;
  const secretOf = ({ id, secret }: ConnectionRow) => JSON.parse(seal.open(secret, place(id))) as Secret;
  const insert = (row: Omit<ConnectionRow, 'secret'>, secret: Secret) =>
    store.insert({ ...row, secret: seal.seal(JSON.stringify(secret), place(row.id)) });

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

  const beginOAuth = async (caller: Caller, network: Network, connect: Redirecting, typed: string): Promise<Step> => {
    const { server, sandbox } =
      connect.kind === 'ServerOAuth' ? serverFrom(network, typed) : { server: '', sandbox: !isLive(network) };
    const registration = await toRefusal(network, ownRegistration(caller, network, sandbox, server));
    const site = registration
      ? networkAccess.siteWith(network, sandbox, server, registration)
      : await toRefusal(network, networkAccess.site(network, sandbox, server));
    const state = randomBytes(32).toString('base64url');
    const verifier = randomBytes(48).toString('base64url');
    const { workspaceId, userId } = caller;
    await insert(
      { id: idOf(state), workspaceId, userId, network: network.key, server: networkAccess.toStored(server), sandbox },
      { verifier, ...(registration && { registration }) },
    );
    const challenge = sha256(verifier, 'base64url');
    return { is: 'go', url: connect.authorizeUrl(site, { redirectUri: redirectUri(network), state, challenge }) };
  };

  const save = async (
    caller: Caller,
    network: Network,
    accounts: readonly NetworkAccount[],
    at: Pick<ConnectionRow, 'server' | 'sandbox'>,
  ): Promise<Step> => {
    const accountIds: string[] = [];
    for (const account of accounts) {
      accountIds.push(await accountStore.transaction(() => saveOne(caller, network, account, at)));
    }
    return { is: 'connected', accountIds };
  };

  /** Returns our id of the account. */
  const saveOne = async (
    caller: Caller,
    network: Network,
    account: NetworkAccount,
    { server, sandbox }: Pick<ConnectionRow, 'server' | 'sandbox'>,
  ): Promise<string> => {
    const by = await rights.mustHold(caller);
    const { workspaceId, userId } = by;
    // Tokens are encrypted for one account id, so two requests for the same account must agree on that id.
    await accountStore.lockWorkspace(workspaceId);
    const existing = await accountStore.find(workspaceId, network.key, account.id);
    if (!existing) await plans.mayConnect(workspaceId, network);
    const id = existing?.id ?? newId('account', clock.now());
    // If the network sends no new refresh token, the old one stays valid.
    const refreshToken = existing && networkAccess.open(existing)?.tokens.refreshToken;
    const tokens = { ...(refreshToken && { refreshToken }), ...account.tokens };
    await accountStore.save(by, {
      id,
      network: network.key,
      externalId: account.id,
      name: account.name,
      handle: account.handle,
      avatarUrl: account.avatarUrl ?? null,
      grantedScopes: [...account.scopes],
      server: networkAccess.toStored(account.server ?? server),
      sandbox,
      tokens: networkAccess.sealTokens(id, tokens),
      facts: account.facts,
      refreshInMs: access.nextRefreshMs(network, tokens),
    });
    const event = existing ? 'account.reconnected' : 'account.connected';
    const details = { accountId: id, network: network.key, handle: account.handle };
    await audit.write({ event, workspaceId, userId, details });
    await live.publish({ workspaceId, kind: 'account', id });
    if (existing) await reconnected({ workspaceId, id });
    return id;
  };

  /** Saves a single account at once; with several, the person chooses. */
  const saveOrChoose = async (
    caller: Caller,
    network: Network,
    accounts: readonly NetworkAccount[],
    { server, sandbox }: Pick<ConnectionRow, 'server' | 'sandbox'>,
  ): Promise<Step> => {
    if (accounts.length === 0) {
      throw new Refusal(
        'Conflict',
        `${network.name} shows no account, page or place that this person may post to. Sign in there as somebody who manages one, then connect again.`,
      );
    }
    if (accounts.length === 1) return save(caller, network, accounts, { server, sandbox });
    const id = randomBytes(16).toString('base64url');
    const { workspaceId, userId } = caller;
    await insert(
      { id, workspaceId, userId, network: network.key, server: networkAccess.toStored(server), sandbox },
      { verifier: '', found: accounts },
    );
    return { is: 'choose', connectionId: id, accounts: accounts.map(toChoice) };
  };

  const mustBeTheirs = (row: ConnectionRow | undefined, { workspaceId, userId }: Caller) => {
    if (row === undefined || row.userId !== userId || row.workspaceId !== workspaceId) {
      throw new Refusal(
        'Conflict',
        'This connection has expired or was started by somebody else. Start again on the Social accounts page.',
      );
    }
    return row;
  };

  return {
    /** The fields of the form that the person fills in first. */
    fields: (key: string) => {
      const network = find(key);
      const sandbox = !isLive(network);
      return { network: network.key, provider: network.name, sandbox, fields: fieldsOf(network.connect, sandbox) };
    },

    begin: async (caller: Caller, key: string, values: Readonly<Record<string, string>>): Promise<Step> => {
      const network = find(key);
      // A workspace that has an account there may be about to reconnect it, which the plan never refuses.
      const mayReconnect = (await accountStore.list(caller.workspaceId)).some((account) => account.network === key);
      if (!mayReconnect) await plans.mayBeginToConnect(caller.workspaceId, network);
      const { connect } = network;
      if (connect.kind !== 'Form') return beginOAuth(caller, network, connect, values.server ?? '');
      const missing = connect.fields.find(({ name, byDefault }) => byDefault === undefined && !values[name]?.trim());
      if (missing) throw badInput({ path: `values.${missing.name}`, code: 'Required', message: 'is required' });
      const sandbox = !isLive(network) && !values.server?.trim();
      const server = values.server?.trim() ? serverFrom(network, values.server).server : '';
      const site = await networkAccess.site(network, sandbox, server);
      const fields = connect.fields.map(
        ({ name, byDefault = '' }) => [name, values[name]?.trim() || byDefault] as const,
      );
      const accounts = await toCheckedAccounts(
        network,
        connect.signIn(site, { ...Object.fromEntries(fields), server }),
      );
      return saveOrChoose(caller, network, accounts, { server, sandbox });
    },

    /** The person comes back from the network. */
    finish: async (caller: Caller, key: string, answer: Readonly<Record<string, string>>): Promise<Step> => {
      const network = find(key);
      const { connect } = network;
      const row = mustBeTheirs(await store.take(idOf(answer.state ?? ''), connectionMs), caller);
      if (connect.kind === 'Form' || row.network !== key) {
        throw new Refusal(
          'Conflict',
          `This answer is not for ${network.name}. Start again on the Social accounts page.`,
        );
      }
      if (answer.code === undefined) {
        throw new Refusal('Conflict', `${network.name} was not connected: ${whyNoCode(answer)}.`);
      }
      const { verifier, registration } = secretOf(row);
      const site = registration
        ? networkAccess.siteWith(network, row.sandbox, row.server, registration)
        : await networkAccess.site(network, row.sandbox, row.server);
      const exchange = { code: answer.code, redirectUri: redirectUri(network), verifier };
      const exchanged = connect.exchange(site, exchange).catch(async (error: unknown) => {
        const isForgotten = error instanceof NetworkTrouble && error.networkCode === 'invalid_client';
        if (isForgotten) await networkAccess.forgetRegistration(network, row.server);
        if (isForgotten && connect.kind === 'OAuth' && !row.sandbox) {
          throw new Refusal(
            'Conflict',
            `${network.name} does not know the credentials of this server. Whoever set it up enters them again in Settings, Networks.`,
          );
        }
        throw error;
      });
      const accounts = (await toCheckedAccounts(network, exchanged)).map((account) =>
        registration ? { ...account, tokens: { ...account.tokens, registration } } : account,
      );
      if (!row.sandbox) await keysWorked(network);
      return saveOrChoose(caller, network, accounts, row);
    },

    choices: async (caller: Caller, connectionId: string) => {
      const row = mustBeTheirs(await store.get(connectionId, connectionMs), caller);
      return { network: networks.get(row.network), accounts: (secretOf(row).found ?? []).map(toChoice) };
    },

    choose: async (caller: Caller, connectionId: string, ids: readonly string[]): Promise<Step> => {
      const row = mustBeTheirs(await store.get(connectionId, connectionMs), caller);
      const chosen = (secretOf(row).found ?? []).filter(({ id }) => ids.includes(id));
      if (chosen.length === 0)
        throw badInput({ path: 'ids', code: 'Required', message: 'must name at least one account' });
      const step = await save(caller, networks.get(row.network), chosen, row);
      await store.take(connectionId, connectionMs);
      return step;
    },

    /** Removes the unfinished connections of this person in the workspace. */
    drop: ({ userId, workspaceId }: Pick<Caller, 'userId' | 'workspaceId'>) => store.drop(userId, workspaceId),

    purge: () => store.purge(connectionMs),
  };
};

const fieldsOf = (connect: Connect, sandbox: boolean) => {
  if (connect.kind === 'OAuth') return [];
  if (connect.kind === 'ServerOAuth') {
    const hint = sandbox
      ? 'Leave it empty for the sandbox, or name the server that your account is on.'
      : 'The server that your account is on.';
    const field = { name: 'server', label: 'Server', hint, secret: false, required: !sandbox };
    return [{ ...field, placeholder: connect.usualServer }];
  }
  return connect.fields.map(({ name, label, hint, secret, byDefault }) => ({
    name,
    label,
    hint,
    secret,
    required: byDefault === undefined,
    ...(byDefault !== undefined && { placeholder: byDefault }),
  }));
};

type Redirecting = Exclude<Connect, { kind: 'Form' }>;

const idOf = (state: string) => sha256(state, 'base64url');

const toChoice = ({ id, name, handle, avatarUrl }: NetworkAccount): Choice => ({
  id,
  name,
  handle,
  ...(avatarUrl !== undefined && { avatarUrl }),
});

/** Shows an error of the network to the person who is connecting. */
const toRefusal = async <T>(network: Network, work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof NetworkTrouble)) throw error;
    throw new Refusal('Conflict', `${network.name} could not be connected. ${error.message}`);
  }
};

const toCheckedAccounts = (network: Network, accounts: Promise<readonly NetworkAccount[]>) =>
  toRefusal(
    network,
    accounts.then((list) => list.map(toStorableAccount)),
  );

const whyNoCode = ({ error, error_description: description = error }: Readonly<Record<string, string>>) => {
  if (error === 'access_denied') return 'you did not allow it there';
  const reason = (description ?? 'it gave no reason').replace(/\.$/, '');
  return /scope/.test(error ?? '')
    ? `the app of this server may not ask for what it needs (${reason}). Its operator adds the missing product or permission to the app; the help page of the network says which (/help/networks)`
    : reason;
};
