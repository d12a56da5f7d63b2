import { type Config, SettingError } from '#server/base/config/config';
import { quantity } from '#server/base/quantity';
import type { SealedColumn } from '#server/base/store/sealed-column';
import { secretsFile } from './keys.ts';
import type { Seal } from './seal.ts';

const batch = 100;

/** Stored texts that no key can decrypt. */
export interface LostSecrets {
  /** The names of the keys that sealed them. */
  readonly keys: readonly string[];
  readonly counts: readonly { readonly noun: string; readonly count: number }[];
}

interface LostText {
  readonly column: SealedColumn;
  readonly id: string;
  readonly sealed: string;
}

/** Undefined when there are no keys, and then everything is lost. */
type Keys = Pick<Seal, 'open'> | undefined;

/** Tries to open every stored text. */
export const findLostSecrets = async (
  columns: readonly SealedColumn[],
  keys: Keys,
): Promise<LostSecrets | undefined> => {
  const lost: LostText[] = [];
  for await (const text of lostTexts(columns, keys)) lost.push(text);
  return summaryOf(lost);
};

/**
 * For startup, which should not read everything: every key in use must exist, and must decrypt the oldest texts of each
 * column. A different key under the same name fails the second check.
 */
export const findLostSecretsQuickly = async (
  columns: readonly SealedColumn[],
  seal: Seal | undefined,
): Promise<LostSecrets | undefined> => {
  for (const column of columns) {
    const used = await column.counts();
    const isMissing = used.some(({ key }) => !seal?.keyIds.includes(key));
    const oldest = isMissing ? [] : await column.texts('', batch);
    if (isMissing || oldest.some((text) => !opens(seal, column, text))) return findLostSecrets(columns, seal);
  }
  return undefined;
};

/** `discard` gives the handler for a lost text, by `table.column`. */
export const discardLostSecrets = async (
  columns: readonly SealedColumn[],
  keys: Keys,
  discard: (place: string) => (id: string, sealed: string) => Promise<unknown>,
): Promise<LostSecrets | undefined> => {
  const discarded: LostText[] = [];
  for await (const text of lostTexts(columns, keys)) {
    await discard(`${text.column.table}.${text.column.column}`)(text.id, text.sealed);
    discarded.push(text);
  }
  return summaryOf(discarded);
};

async function* lostTexts(columns: readonly SealedColumn[], keys: Keys): AsyncGenerator<LostText> {
  for (const column of columns) {
    for (let after = ''; ; ) {
      const texts = await column.texts(after, batch);
      for (const text of texts) if (!opens(keys, column, text)) yield { column, ...text };
      if (texts.length < batch) break;
      after = texts.at(-1)?.id ?? '';
    }
  }
}

const opens = (keys: Keys, { table, column }: SealedColumn, { id, sealed }: { id: string; sealed: string }) => {
  try {
    return keys?.open(sealed, `${table}:${id}:${column}`) !== undefined;
  } catch {
    return false;
  }
};

const summaryOf = (lost: readonly LostText[]): LostSecrets | undefined => {
  if (lost.length === 0) return undefined;
  const counts = new Map<string, number>();
  for (const { column } of lost) counts.set(column.noun, (counts.get(column.noun) ?? 0) + 1);
  return {
    keys: [...new Set(lost.map(({ sealed }) => sealed.split('.')[1] ?? ''))],
    counts: [...counts].map(([noun, count]) => ({ noun, count })),
  };
};

/** `2 account tokens, 1 webhook secret`. */
export const describeCounts = ({ counts }: LostSecrets) =>
  counts.map(({ noun, count }) => quantity(count, noun, plural(noun))).join(', ');

/** Only the first noun gets the plural ending: `signing keys for receipts`. */
const plural = (noun: string) =>
  noun.replace(/^(unsent mail or push message|\w+(?: \w+)?)(?= (?:at|for|of) |$)/, '$1s');

/** What is lost, and what to do about it. */
export const describeLostSecrets = (
  lost: LostSecrets,
  settings: Pick<Config, 'dataDir' | 'encryptionKeys'>,
  keyIds: readonly string[],
) => {
  const place = settings.encryptionKeys ? 'ENCRYPTION_KEYS' : secretsFile(settings);
  const names = lost.keys.map((key) => `"${key}"`).join(', ');
  const hasSameName = lost.keys.some((key) => keyIds.includes(key));
  const why = hasSameName
    ? `The key ${names} in ${place} is not the one that encrypted them`
    : `The key ${names} that encrypted them is not in ${place}`;
  return `Stored secrets cannot be decrypted: ${describeCounts(lost)}. ${why}. Put that key back from where you keep it, or from a backup made with --with-keys. If it is lost for good, run \`posthorn keys discard-lost\`: it says what has to be connected anew, and with --yes lets Posthorn start without them. See "When the key is lost" in docs/operating.md.`;
};

export const refuseLostSecrets = (...args: Parameters<typeof describeLostSecrets>): never => {
  throw new SettingError(describeLostSecrets(...args));
};
