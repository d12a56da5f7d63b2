import { randomBytes } from 'node:crypto';
import type { Caller } from '#server/base/context';
import { badInput, notFound, Refusal } from '#server/base/errors';
import type { Connect, Network, NetworkAccount } from '#server/networks/network';
import type { Networks } from '#server/networks/registry';
import { NetworkTrouble } from '#server/networks/trouble';
import { connectionIdOf, connectionMs, createOAuthStart, toRefusal } from './begin-oauth.ts';
import { createConnectionSecrets } from './connection-secrets.ts';
import type { ConnectionRow } from './connection-store.ts';
import { createSaveAccounts } from './save-accounts.ts';
import { toStorableAccount } from './storable-account.ts';

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
  networks,
  plans,
  isOffered,
  keysWorked,
  ...parts
}: Parameters<typeof createSaveAccounts>[0] &
  Parameters<typeof createConnectionSecrets>[0] &
  Omit<Parameters<typeof createOAuthStart>[0], 'secrets'> & {
    networks: Networks;
    isOffered: (network: Network) => boolean;
    /** Somebody signed in at the real network, so the credentials of this server are right. */
    keysWorked: (network: Network) => Promise<void>;
  }) => {
  const { store, accountStore, networkAccess, isLive, redirectUri } = parts;
  const secrets = createConnectionSecrets(parts);
  const oauth = createOAuthStart({ ...parts, secrets });
  const saveAccounts = createSaveAccounts({ ...parts, plans });

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
    if (accounts.length === 1) return connected(await saveAccounts(caller, network, accounts, { server, sandbox }));
    const id = randomBytes(16).toString('base64url');
    const { workspaceId, userId } = caller;
    await secrets.insert(
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
      if (connect.kind !== 'Form') {
        return { is: 'go', url: await oauth.begin(caller, network, connect, values.server ?? '') };
      }
      const missing = connect.fields.find(({ name, byDefault }) => byDefault === undefined && !values[name]?.trim());
      if (missing) throw badInput({ path: `values.${missing.name}`, code: 'Required', message: 'is required' });
      const sandbox = !isLive(network) && !values.server?.trim();
      const server = values.server?.trim() ? oauth.serverFrom(network, values.server).server : '';
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
      const row = mustBeTheirs(await store.take(connectionIdOf(answer.state ?? ''), connectionMs), caller);
      if (connect.kind === 'Form' || row.network !== key) {
        throw new Refusal(
          'Conflict',
          `This answer is not for ${network.name}. Start again on the Social accounts page.`,
        );
      }
      if (answer.code === undefined) {
        throw new Refusal('Conflict', `${network.name} was not connected: ${whyNoCode(answer)}.`);
      }
      const { verifier, registration } = secrets.secretOf(row);
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
      return { network: networks.get(row.network), accounts: (secrets.secretOf(row).found ?? []).map(toChoice) };
    },

    choose: async (caller: Caller, connectionId: string, ids: readonly string[]): Promise<Step> => {
      const row = mustBeTheirs(await store.get(connectionId, connectionMs), caller);
      const chosen = (secrets.secretOf(row).found ?? []).filter(({ id }) => ids.includes(id));
      if (chosen.length === 0)
        throw badInput({ path: 'ids', code: 'Required', message: 'must name at least one account' });
      const accountIds = await saveAccounts(caller, networks.get(row.network), chosen, row);
      await store.take(connectionId, connectionMs);
      return connected(accountIds);
    },

    /** Removes the unfinished connections of this person in the workspace. */
    drop: ({ userId, workspaceId }: Pick<Caller, 'userId' | 'workspaceId'>) => store.drop(userId, workspaceId),

    purge: () => store.purge(connectionMs),
  };
};

const connected = (accountIds: readonly string[]): Step => ({ is: 'connected', accountIds });

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

const toChoice = ({ id, name, handle, avatarUrl }: NetworkAccount): Choice => ({
  id,
  name,
  handle,
  ...(avatarUrl !== undefined && { avatarUrl }),
});

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
