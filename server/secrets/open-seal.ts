import type { Config } from '#server/config/config';
import type { SealedColumn } from '#server/store/sealed-column';
import { findSeal, readSecrets } from './keys.ts';
import { findLostSecretsQuickly, refuseLostSecrets } from './lost-secrets.ts';
import { createSeal, type Seal } from './seal.ts';

/**
 * What a start encrypts with. The first key is made only where nothing is encrypted yet: beside secrets of a lost key a new
 * one of the same name would look as if all were well.
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
