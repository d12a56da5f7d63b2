import { createHash, randomBytes } from 'node:crypto';
import type { AuditLog } from '#server/audit/audit-log';
import type { Clock } from '#server/clock';
import type { Caller } from '#server/context';
import { badInput, notFound, Refusal } from '#server/errors';
import { newId } from '#server/ids';
import type { Live } from '#server/live/open-tabs';
import type { Connect, Network, NetworkAccount, Registration } from '#server/networks/network';
import type { Networks } from '#server/networks/registry';
import { NetworkTrouble } from '#server/networks/trouble';
import type { Outbound } from '#server/outbound/guarded-client';
import type { Plans } from '#server/plans/allowance';
import type { AccountAccess } from './access.ts';
import { accountAsKept } from './as-kept.ts';
import type { NetworkAccess } from './network-access.ts';
import type { AccountStore, ConnectionRow, ConnectionStore } from './store.ts';

const connectionMs = 20 * 60_000;

/** Kept sealed while a connection is under way. */
interface Secret {
  readonly verifier: string;
  /** Of this connection alone. */
  readonly registration?: Registration;
  /** Once the network has told them. */
  readonly found?: readonly NetworkAccount[];
}

/** Where the person goes next. */
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

/** From the first click to a connected account, or to new access for one that was connected before. */
export const createConnecting = ({
  store,
  accountStore,
  networkAccess,
  access,
  networks,
  plans,
  audit,
  live,
  outbound,
  isOffered,
  isLive,
  reconnected,
  redirectUri,
  seal,
  clock,
}: {
  store: ConnectionStore;
  accountStore: AccountStore;
  networkAccess: NetworkAccess;
  access: AccountAccess;
  networks: Networks;
  plans: Plans;
  audit: AuditLog;
  live: Live;
  outbound: Outbound;
  isOffered: (network: Network) => boolean;
  isLive: (network: Network) => boolean;
  /** The numbers of its posts are read at once (SPEC, Statistics rules 10). */
  reconnected: (account: { readonly workspaceId: string; readonly id: string }) => Promise<void>;
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
  const keep = (row: Omit<ConnectionRow, 'secret'>, secret: Secret) =>
    store.insert({ ...row, secret: seal.seal(JSON.stringify(secret), place(row.id)) });

  /** The server somebody typed: `mastodon.social`, `https://mastodon.social/` and `@anna@mastodon.social` are the same. */
  const serverFrom = (network: Network, typed: string): { server: string; sandbox: boolean } => {
    const text = typed.trim().replace(/^@?[^@\s]+@/, '');
    if (text === '' && !isLive(network)) return { server: networkAccess.sandboxServer(network), sandbox: true };
    const url = /^https?:\/\//.test(text) ? text : `https://${text}`;
    const checked = outbound.checkUrl(url);
    if (!checked.ok)
      throw badInput({ path: 'values.server', code: 'BadServer', message: `cannot be used. ${checked.message}` });
    return { server: checked.url.origin, sandbox: false };
  };

  /** Where the server does not keep registrations, or somebody went there a moment ago and did not come back. */
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

  const beginOAuth = async (caller: Caller, network: Network, own: Redirecting, typed: string): Promise<Step> => {
    const { server, sandbox } =
      own.kind === 'ServerOAuth' ? serverFrom(network, typed) : { server: '', sandbox: !isLive(network) };
    const registration = await toRefusal(network, ownRegistration(caller, network, sandbox, server));
    const site = registration
      ? networkAccess.siteWith(network, sandbox, server, registration)
      : await toRefusal(network, networkAccess.site(network, sandbox, server));
    const state = randomBytes(32).toString('base64url');
    const verifier = randomBytes(48).toString('base64url');
    const { workspaceId, userId } = caller;
    await keep(
      { id: idOf(state), workspaceId, userId, network: network.key, server: networkAccess.toStored(server), sandbox },
      { verifier, ...(registration && { registration }) },
    );
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    return { is: 'go', url: own.authorizeUrl(site, { redirectUri: redirectUri(network), state, challenge }) };
  };

  const save = async (
    caller: Caller,
    network: Network,
    found: readonly NetworkAccount[],
    at: Pick<ConnectionRow, 'server' | 'sandbox'>,
  ): Promise<Step> => {
    const accountIds: string[] = [];
    for (const account of found) {
      accountIds.push(await accountStore.transaction(() => saveOne(caller, network, account, at)));
    }
    return { is: 'connected', accountIds };
  };

  /** Inside a transaction. Answers with the id that the account has here. */
  const saveOne = async (
    { workspaceId, userId }: Caller,
    network: Network,
    account: NetworkAccount,
    { server, sandbox }: Pick<ConnectionRow, 'server' | 'sandbox'>,
  ): Promise<string> => {
    // Of two requests for one account the second finds what the first has saved: tokens are sealed for that id alone.
    await accountStore.lockWorkspace(workspaceId);
    const known = await accountStore.find(workspaceId, network.key, account.id);
    if (!known) await plans.mayConnect(workspaceId, network);
    const id = known?.id ?? newId('account', clock.now());
    // When the network sends no new refresh token, the old one stays valid.
    const old = known && networkAccess.open(known)?.tokens.refreshToken;
    const tokens = { ...(old && { refreshToken: old }), ...account.tokens };
    await accountStore.save({
      id,
      workspaceId,
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
    const event = known ? 'account.reconnected' : 'account.connected';
    const details = { accountId: id, network: network.key, handle: account.handle };
    await audit.write({ event, workspaceId, userId, details });
    await live.publish({ workspaceId, kind: 'account', id });
    if (known) await reconnected({ workspaceId, id });
    return id;
  };

  /** Saves a single account at once; with several, the person chooses. */
  const take = async (
    caller: Caller,
    network: Network,
    found: readonly NetworkAccount[],
    { server, sandbox }: Pick<ConnectionRow, 'server' | 'sandbox'>,
  ): Promise<Step> => {
    if (found.length === 0) {
      throw new Refusal(
        'Conflict',
        `${network.name} shows no account, page or place that this person may post to. Sign in there as somebody who manages one, then connect again.`,
      );
    }
    if (found.length === 1) return save(caller, network, found, { server, sandbox });
    const id = randomBytes(16).toString('base64url');
    const { workspaceId, userId } = caller;
    await keep(
      { id, workspaceId, userId, network: network.key, server: networkAccess.toStored(server), sandbox },
      { verifier: '', found },
    );
    return { is: 'choose', connectionId: id, accounts: found.map(toChoice) };
  };

  const mustBeTheirs = (row: ConnectionRow | undefined, { workspaceId, userId }: Caller) => {
    if (row === undefined || row.userId !== userId || row.workspaceId !== workspaceId) {
      throw new Refusal('Conflict', 'This way to connect has ended or was begun by somebody else. Begin again.');
    }
    return row;
  };

  return {
    /** What the page asks for before it goes on. */
    fields: (key: string) => {
      const network = find(key);
      const sandbox = !isLive(network);
      return { network: network.key, provider: network.name, sandbox, fields: fieldsOf(network.connect, sandbox) };
    },

    begin: async (caller: Caller, key: string, values: Readonly<Record<string, string>>): Promise<Step> => {
      const network = find(key);
      // A workspace that has an account there may be about to reconnect it, which the plan never refuses.
      const mayBeKnown = (await accountStore.list(caller.workspaceId)).some((account) => account.network === key);
      if (!mayBeKnown) await plans.mayConnect(caller.workspaceId, network);
      const own = network.connect;
      if (own.kind !== 'Form') return beginOAuth(caller, network, own, values.server ?? '');
      const missing = own.fields.find(({ name, byDefault }) => byDefault === undefined && !values[name]?.trim());
      if (missing) throw badInput({ path: `values.${missing.name}`, code: 'Required', message: 'is required' });
      const sandbox = !isLive(network) && !values.server?.trim();
      const server = values.server?.trim() ? serverFrom(network, values.server).server : '';
      const site = await networkAccess.site(network, sandbox, server);
      const given = own.fields.map(({ name, byDefault = '' }) => [name, values[name]?.trim() || byDefault] as const);
      const found = await told(network, own.signIn(site, { ...Object.fromEntries(given), server }));
      return take(caller, network, found, { server, sandbox });
    },

    /** The person comes back from the network. */
    finish: async (caller: Caller, key: string, answer: Readonly<Record<string, string>>): Promise<Step> => {
      const network = find(key);
      const own = network.connect;
      const row = mustBeTheirs(await store.take(idOf(answer.state ?? ''), connectionMs), caller);
      if (own.kind === 'Form' || row.network !== key) {
        throw new Refusal(
          'Conflict',
          `This answer is not for ${network.name}. Begin again on the Social accounts page.`,
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
      const found = own.exchange(site, exchange).catch(async (error: unknown) => {
        const isForgotten = error instanceof NetworkTrouble && error.networkCode === 'invalid_client';
        if (isForgotten) await networkAccess.forgetRegistration(network, row.server);
        throw error;
      });
      const accounts = (await told(network, found)).map((account) =>
        registration ? { ...account, tokens: { ...account.tokens, registration } } : account,
      );
      return take(caller, network, accounts, row);
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

    /** Those that this person has begun in the workspace. */
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

const idOf = (state: string) => createHash('sha256').update(state).digest('base64url');

const toChoice = ({ id, name, handle, avatarUrl }: NetworkAccount): Choice => ({
  id,
  name,
  handle,
  ...(avatarUrl !== undefined && { avatarUrl }),
});

/** A refusal of the network while somebody connects is shown to that person. */
const toRefusal = async <T>(network: Network, work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof NetworkTrouble)) throw error;
    throw new Refusal('Conflict', `${network.name} could not be connected. ${error.message}`);
  }
};

const told = (network: Network, accounts: Promise<readonly NetworkAccount[]>) =>
  toRefusal(
    network,
    accounts.then((found) => found.map(accountAsKept)),
  );

const whyNoCode = ({ error, error_description: description = error }: Readonly<Record<string, string>>) => {
  if (error === 'access_denied') return 'you did not allow it there';
  const words = (description ?? 'it gave no reason').replace(/\.$/, '');
  return /scope/.test(error ?? '')
    ? `the app of this server may not ask for what it needs (${words}). Its operator adds the missing product or permission to the app; docs/networks.md says which`
    : words;
};
