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

/** SPEC's table gives the order in every list; an action it does not name comes after, by name. */
const specOrder = [
  ...['accounts.list', 'providers.limits', 'posts.list', 'posts.get', 'posts.create', 'posts.update'],
  ...['posts.setVersionText', 'posts.setOption', 'posts.validate', 'posts.schedule', 'posts.publishNow'],
  ...['posts.delete', 'providers.list', 'accounts.delete', 'media.list', 'posts.metrics', 'analytics.summary'],
  ...['ui.getContext', 'ui.setContext'],
];
const place = ({ name }: Declared) => (specOrder.includes(name) ? specOrder.indexOf(name) : specOrder.length);

const isAction = (value: unknown): value is Action =>
  typeof value === 'object' && value !== null && 'kind' in value && 'input' in value && 'output' in value;

/** Every action that a file of contracts/ declares: an exported record with dotted names. */
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
        found.push({ name, domain, verb, file, record, action });
      }
    }
  }
  return found.sort((a, b) => place(a) - place(b) || a.name.localeCompare(b.name));
};

export const toolName = (name: string) => name.replace('.', '_');
