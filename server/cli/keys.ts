import { systemClock } from '#server/clock';
import { SettingError } from '#server/config';
import { type Command, using } from './command.ts';

/** The running service reads its keys every minute. */
export const rotateKeys: Command = async (config) => {
  if (config.outsideProvider) {
    throw new SettingError(
      'There is no signing key here: the identity provider of AUTH_URL signs. Change its keys there.',
    );
  }
  const { createSigningKeys } = await import('#server/auth/identity-provider/signing-keys');
  const { createIdentityStore } = await import('#server/auth/identity-provider/store');
  const { openSeal } = await import('#server/secrets/keys');
  const seal = await openSeal(config);
  return using(config, async ({ database, audit }) => {
    const keys = createSigningKeys({ store: createIdentityStore(database), seal, clock: systemClock });
    const rotated = await keys.rotate();
    await audit.write({ event: 'signing-key.rotated', details: { id: rotated.id } });
    return rotated;
  });
};
