import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export interface ForeignClient {
  /** In bench/foreign-clients. */
  readonly file: string;
  readonly network: string;
  readonly package: string;
  /** Hosts that the package names and Posthorn does not, with the twin's name for each. */
  readonly hosts?: Readonly<Record<string, string>>;
}

export const folder = resolve(import.meta.dirname, '../../bench/foreign-clients');

export const readClients = (): ForeignClient[] => JSON.parse(readFileSync(join(folder, 'clients.json'), 'utf8'));
