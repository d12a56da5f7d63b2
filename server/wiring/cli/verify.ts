import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { type ReceiptKey, SignedEntry } from '#contracts/receipts';
import {
  findBrokenLink,
  findFault,
  findLostHead,
  fingerprintOf,
  keyIdOf,
} from '#server/access/receipts/verify-receipts';
import { type Config, SettingError } from '#server/base/config/config';
import { quantity } from '#server/base/quantity';
import type { Command } from './command.ts';
import { escapeInvisible } from './escape-invisible.ts';

const Keys = z.array(z.object({ publicKey: z.string() }));
const ReceiptFile = z.object({ entries: z.array(SignedEntry).min(1), keys: Keys });
const KeyFile = z.object({ keys: Keys.min(1) });

interface ReceiptLog {
  readonly entries: readonly SignedEntry[];
  readonly keys: readonly Pick<ReceiptKey, 'publicKey'>[];
}

/** Prints what was found, and fails when something is wrong. */
export const verifyReceipts: Command = async (config, { chain, workspace, head, key }, [file]) => {
  if (file === undefined && workspace === undefined)
    throw new SettingError('Name a receipt: posthorn verify receipt.json. posthorn --help has the options.');
  if (workspace !== undefined && chain === undefined)
    throw new SettingError('Add --chain to check the whole log of a workspace.');
  const log = file === undefined ? await readLog(config, workspace ?? '') : await readReceipts(file);
  const keys = key === undefined ? log.keys : (await readFileAs(KeyFile, key, 'keys')).keys;
  const fault =
    (chain === undefined ? firstFault(log.entries, keys) : findBrokenLink(log.entries, keys)) ??
    (head === undefined ? undefined : await findFaultOfHead(log.entries, head, keys));
  if (fault) throw new SettingError(escapeInvisible(`Not valid. ${fault}`));
  if (key === undefined) print(describeOwnKeys(log));
  for (const line of chain === undefined ? log.entries.map(describeEntry) : [describeLog(log.entries)]) print(line);
  if (head !== undefined) print('Nothing that the earlier receipt shows is missing.');
  if (key !== undefined) print(`Valid: signed with a key of ${key}.`);
};

/** A forged receipt has any text where Posthorn writes ids and names. */
const print = (line: string) => console.log(escapeInvisible(line));

const firstFault = (entries: readonly SignedEntry[], keys: ReceiptLog['keys']) =>
  entries.map((entry) => findFault(entry, keys)).find((fault) => fault !== undefined);

/** Checks the earlier receipt first: if it is not valid, it proves nothing about the log. */
const findFaultOfHead = async (log: readonly SignedEntry[], path: string, keys: ReceiptLog['keys']) => {
  const { entries } = await readReceipts(path);
  const fault = firstFault(entries, keys);
  return fault ? `In the earlier receipt: ${fault}` : findLostHead(log, entries);
};

const readReceipts = async (path: string): Promise<ReceiptLog> =>
  (await readFileAs(ReceiptFile, path, 'receipts')) as ReceiptLog;

const readFileAs = async <File>(shape: z.ZodType<File>, path: string, what: string): Promise<File> => {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new SettingError(`${path} cannot be read (${error.code}).`);
  });
  try {
    const file = JSON.parse(text);
    shape.parse(file);
    // Return the file unparsed, because every field is part of what was signed.
    return file;
  } catch {
    throw new SettingError(`Not valid. ${path} does not have ${what} in the form that Posthorn writes.`);
  }
};

const readLog = async (config: Config, workspaceId: string): Promise<ReceiptLog> => {
  const { openCore } = await import('#server/wiring/open-core');
  const { readWholeLog } = await import('#server/access/receipts/read-log');
  const { core, close } = await openCore(config);
  try {
    return await readWholeLog(core.database, workspaceId);
  } finally {
    await close();
  }
};

const describeEntry = ({ entry }: SignedEntry) =>
  entry.kind === 'Decision'
    ? `Entry ${entry.number} of ${entry.workspaceId}, ${entry.at}: ${entry.personId} ${entry.decision?.toLowerCase()} ${entry.action} for ${entry.client} (${entry.cardId}), signed in by ${entry.means?.join(' and ') || 'unknown means'}${describeConfirmation(entry)}. Content ${entry.content}.`
    : `Entry ${entry.number} of ${entry.workspaceId}, ${entry.at}: publishing ${entry.postId} ended as ${entry.status}.`;

const describeConfirmation = ({ confirmation }: SignedEntry['entry']) => {
  const { assertion } = confirmation ?? {};
  if (assertion === undefined) return '';
  const { origin } = JSON.parse(Buffer.from(assertion.clientDataJSON, 'base64url').toString());
  return `, confirmed at ${origin} with the passkey ${fingerprintOf(assertion.publicKey)}, whose signature is valid`;
};

const describeLog = (entries: readonly SignedEntry[]) =>
  entries.length === 0
    ? 'The log is empty.'
    : `The log of ${entries[0]?.entry.workspaceId} is as it was signed, and no entry is missing before the last one, of ${entries.at(-1)?.entry.at} (${quantity(entries.length, 'entry', 'entries')}).`;

const describeOwnKeys = ({ keys }: ReceiptLog) =>
  `Not checked: who signed it. The key comes with it (${keys.map(({ publicKey }) => keyIdOf(publicKey)).join(', ')}), and whoever forges a receipt can add a key of their own. Compare it with the key you stored, or give that one with --key.`;
