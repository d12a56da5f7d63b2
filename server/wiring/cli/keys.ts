import { systemClock } from '#server/base/clock';
import { type Config, SettingError } from '#server/base/config/config';
import { type Command, using } from './command.ts';

/** A value for ENCRYPTION_KEYS. Put it before the older ones: the first key encrypts. */
export const generateKey: Command = async () => {
  const { randomBytes } = await import('node:crypto');
  const id = `k${systemClock.now().toISOString().slice(0, 10).replaceAll('-', '')}`;
  console.log(`${id}:${randomBytes(32).toString('base64')}`);
};

/** The running service reads its keys every minute. */
export const rotateKeys: Command = async (config) => {
  if (config.outsideProvider) {
    throw new SettingError(
      'There is no signing key here: the identity provider of AUTH_URL signs. Change its keys there.',
    );
  }
  const { createSigningKeys } = await import('#server/access/auth/identity-provider/signing-keys');
  const { createIdentityStore } = await import('#server/access/auth/identity-provider/store');
  const { findSeal } = await import('#server/base/secrets/keys');
  const seal = await findSeal(config);
  if (seal === undefined)
    throw new SettingError(`There are no keys in ${config.dataDir}: \`posthorn doctor\` says why.`);
  return using(config, async ({ database, audit: { audit } }) => {
    const keys = createSigningKeys({ store: createIdentityStore(database), seal, clock: systemClock });
    const rotated = await keys.rotate();
    await audit.write({ event: 'signing-key.rotated', details: { id: rotated.id } });
    return rotated;
  });
};

const consequences =
  'Accounts have to be connected again. Webhooks are paused with a new secret: rotate it, give it to the receiver, resume. Browsers ask again for push messages, MCP clients sign in again, and mails that were not sent yet are dropped. Posts, media, people and passwords stay as they are.';

/** For an installation whose key is lost for good. Without --yes it only lists what would be discarded. */
export const discardLost: Command = async (config, { yes }) => {
  const { describeCounts } = await import('#server/base/secrets/lost-secrets');
  const lost = await findLost(config);
  if (lost === undefined) {
    console.log('Every stored secret can be decrypted: there is nothing to discard.');
    return;
  }
  if (yes === undefined) {
    throw new SettingError(
      `No key decrypts ${describeCounts(lost)}. This discards them for good. ${consequences} If you may still find the key, look for it first; otherwise run this again with --yes.`,
    );
  }
  const { openService } = await import('#server/wiring/open-service');
  const { createLog } = await import('#server/base/logging/log');
  const log = createLog({ ...config, logLevel: 'warn' }, 2);
  const { posthorn, database, close } = await openService(config, log, undefined, {}, makeSeal);
  try {
    const counts = await database.transaction(async () => {
      const discarded = await posthorn.discardLostSecrets();
      const details = Object.fromEntries((discarded?.counts ?? []).map(({ noun, count }) => [noun, count]));
      await posthorn.audit.write({ event: 'secrets.discarded', details });
      return details;
    });
    console.log(JSON.stringify({ discarded: counts }, null, 2));
    console.error(`Start Posthorn now. ${consequences}`);
  } finally {
    await close();
  }
};

const findLost = async (config: Config) => {
  const { connectCore } = await import('#server/wiring/open-core');
  const { findSeal } = await import('#server/base/secrets/keys');
  const { findLostSecrets } = await import('#server/base/secrets/lost-secrets');
  const { countOtherSessions } = await import('#server/base/store/other-sessions');
  const { core, close } = await connectCore(config);
  try {
    const lost = await findLostSecrets(core.registry.sealed(), await findSeal(config));
    if (lost && (await countOtherSessions(core.database)) > 0) {
      throw new SettingError(
        'A Posthorn is connected to this database, and it may still have the key in memory. Stop it first, or it would go on using the secrets that are discarded here.',
      );
    }
    return lost;
  } finally {
    await close();
  }
};

/** Creates a first key if there is none. Secrets that no key decrypts are about to be discarded anyway. */
const makeSeal = async (config: Pick<Config, 'dataDir' | 'encryptionKeys'>) => {
  const { readSecrets } = await import('#server/base/secrets/keys');
  const { createSeal } = await import('#server/base/secrets/seal');
  return createSeal((await readSecrets(config)).encryptionKeys);
};
