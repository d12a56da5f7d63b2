import type { NetworkKeys as NetworkKeysRecord } from '#contracts/installation';
import type { AuditLog } from '#server/access/audit/audit-log';
import type { Clock } from '#server/base/clock';
import { badInput, notFound, Refusal } from '#server/base/errors';
import { everyWorkspace } from '#server/base/live/changes';
import type { Live } from '#server/base/live/live';
import type { Seal } from '#server/base/secrets/seal';
import type { Network } from '#server/networks/network';
import type { Sites } from '#server/networks/sites';
import { asTrouble, whatHappened } from '#server/networks/trouble';
import type { EnteredKeys } from './entered-keys.ts';
import { placeOf, type Values } from './entered-settings.ts';
import type { NetworkKeyStore } from './store.ts';

export type NetworkKeys = ReturnType<typeof createNetworkKeys>;

/** Enters, tries and removes the credentials of networks. */
export const createNetworkKeys = ({
  store,
  entered,
  sites,
  environment,
  baseUrl,
  audit,
  publish,
  seal,
  clock,
}: {
  store: NetworkKeyStore;
  entered: EnteredKeys;
  sites: Sites;
  environment: (name: string) => string | undefined;
  baseUrl: string;
  audit: AuditLog;
  publish: Live['publish'];
  seal: Seal;
  clock: Clock;
}) => {
  const { registered, isInEnvironment, read, settled, setting } = entered;
  const redirectUri = ({ key }: Network) => `${baseUrl}/connect/${key}/callback`;

  /** Publishes after reading, so that open tabs do not fetch the old state from this instance. */
  const readAndPublish = async ({ key }: Network) => {
    await read();
    await publish({ workspaceId: everyWorkspace, kind: 'provider', id: key });
  };

  const mustBeRegistered = (key: string) => {
    const network = registered.find((one) => one.key === key);
    if (network === undefined) throw notFound('network that needs credentials', key);
    if (isInEnvironment(network.settings)) {
      const names = network.settings.filter((name) => environment(name) !== undefined).join(' and ');
      throw new Refusal(
        'Conflict',
        `${names} is set in the environment of the server, which wins. Change it there, or remove it and restart.`,
      );
    }
    return network;
  };

  /** Refuses credentials that the network refuses. Returns whether the network has confirmed them. */
  const mustWork = async (network: Network, values: Values) => {
    const [id = '', secret = ''] = network.settings;
    const registration = { clientId: values[id] ?? '', clientSecret: values[secret] ?? '' };
    try {
      // Undefined when the network offers no way to try them.
      const result = await network.app.tryCredentials?.(sites.live(network, { registration }), redirectUri(network));
      if (result?.is === 'refused') {
        throw new Refusal(
          'BadInput',
          `${network.name} does not know this app and secret (${result.said.replace(/\.$/, '')}). Copy ${network.settings.join(' and ')} again. Nothing was saved.`,
        );
      }
      return result?.is === 'accepted';
    } catch (error) {
      if (error instanceof Refusal) throw error;
      const trouble = asTrouble(error, () => undefined);
      throw new Refusal(
        'Conflict',
        `The credentials could not be tried. ${whatHappened(trouble, network)} Nothing was saved.`,
      );
    }
  };

  return {
    read,
    settled,
    setting,

    list: (): NetworkKeysRecord[] =>
      registered.map((network) => {
        const { key, name, settings } = network;
        const row = entered.find(settings[0] ?? '');
        const isFromEnvironment = isInEnvironment(settings);
        const isWhole = settings.every((one) => environment(one) !== undefined);
        return {
          network: key,
          provider: name,
          state: isFromEnvironment ? (isWhole ? 'Environment' : 'Missing') : row ? 'Entered' : 'Missing',
          settings: [...settings],
          redirectUri: redirectUri(network),
          sharedWith: registered
            .filter((one) => one !== network && one.settings[0] === settings[0])
            .map((one) => one.name),
          ...(row && !isFromEnvironment && { updatedAt: row.updatedAt }),
          ...(row?.workedAt && !isFromEnvironment && { workedAt: row.workedAt }),
        };
      }),

    save: async (userId: string, key: string, values: Values, requestId: string) => {
      const network = mustBeRegistered(key);
      mustBeComplete(network, values);
      const tried = await mustWork(network, values);
      const [id = ''] = network.settings;
      const now = clock.now();
      await store.transaction(async () => {
        await store.save(id, seal.seal(JSON.stringify(values), placeOf(id)), now, userId);
        await audit.write({ event: 'network-keys.saved', userId, requestId, details: { network: key } });
      });
      await readAndPublish(network);
      return { tried };
    },

    remove: async (userId: string, key: string, requestId: string) => {
      const network = mustBeRegistered(key);
      await store.transaction(async () => {
        const isRemoved = await store.remove(network.settings[0] ?? '');
        if (!isRemoved) throw new Refusal('NotFound', `No credentials of ${network.name} were entered here.`);
        await audit.write({ event: 'network-keys.removed', userId, requestId, details: { network: key } });
      });
      await readAndPublish(network);
    },

    /** Called when somebody signed in at the real network, which shows that the credentials work. */
    confirm: async (network: Network) => {
      const [id = ''] = network.settings;
      const row = entered.find(id);
      if (row === undefined || row.workedAt !== null) return;
      await store.confirm(id, clock.now());
      await readAndPublish(network);
    },
  };
};

const mustBeComplete = ({ settings, name: provider }: Network, values: Values) => {
  const unknown = Object.keys(values).find((name) => !settings.includes(name));
  if (unknown !== undefined) {
    throw badInput({ path: `values.${unknown}`, code: 'UnknownField', message: `is no credential of ${provider}` });
  }
  const missing = settings.find((name) => !values[name]);
  if (missing !== undefined) {
    throw badInput({ path: `values.${missing}`, code: 'Required', message: `is required: ${provider} gives both` });
  }
  const broken = settings.find((name) => /\s/.test(values[name] ?? ''));
  if (broken !== undefined) {
    throw badInput({
      path: `values.${broken}`,
      code: 'BadFormat',
      message: 'has a space or line break. Copy it again',
    });
  }
};
