import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Action } from '#contracts/define';

export interface Declared {
  /** Dotted name: posts.create */
  readonly name: string;
  /** posts */
  readonly domain: string;
  /** create */
  readonly verb: string;
  /** The contract file and the record in it: posts, postActions */
  readonly file: string;
  readonly record: string;
  readonly action: Action;
}

const isAction = (value: unknown): value is Action =>
  typeof value === 'object' && value !== null && 'kind' in value && 'input' in value && 'output' in value;

/** Every action that a file of contracts/ declares, in an exported record with dotted names: by file, then as written. */
export const readContracts = async (root: string): Promise<Declared[]> => {
  const found: Declared[] = [];
  for (const entry of (await readdir(join(root, 'contracts'))).sort()) {
    const file = entry.replace(/\.ts$/, '');
    const module: Record<string, unknown> = await import(pathToFileURL(join(root, 'contracts', entry)).href);
    for (const [record, value] of Object.entries(module)) {
      if (typeof value !== 'object' || value === null) continue;
      for (const [name, action] of Object.entries(value)) {
        if (!isAction(action)) continue;
        const [domain = '', verb = '', ...rest] = name.split('.');
        if (!domain || !verb || rest.length > 0) throw new Error(`contracts/${entry}: ${name} is not <domain>.<verb>`);
        if (found.some((other) => other.name === name))
          throw new Error(`contracts/${entry}: ${name} is declared twice`);
        if (action.errors.includes('ApprovalRequired') && action.approval === undefined)
          throw new Error(`contracts/${entry}: ${name} may need approval, so it needs the card it becomes (approval)`);
        found.push({ name, domain, verb, file, record, action });
      }
    }
  }
  return found;
};

export const toolName = (name: string) => name.replace('.', '_');
