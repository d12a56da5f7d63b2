import type { Config } from '#server/base/config/config';
import type { SealedColumn } from '#server/base/store/sealed-column';
import { findSeal, readSecrets } from './keys.ts';
import { findLostSecretsQuickly, refuseLostSecrets } from './lost-secrets.ts';
import { createSeal, type Seal } from './seal.ts';

/**
 * The seal of the service. The first key is generated only if nothing is encrypted yet: otherwise a new key named like the
 * lost one would hide the loss.
 */
export const openSeal = async (
  config: Pick<Config, 'dataDir' | 'encryptionKeys'>,
  columns: readonly SealedColumn[],
): Promise<Seal> => {
  const seal = await findSeal(config);
  const lost = await findLostSecretsQuickly(columns, seal);
  if (lost) refuseLostSecrets(lost, config, seal?.keyIds ?? []);
  return seal ?? createSeal((await readSecrets(config)).encryptionKeys);
};
