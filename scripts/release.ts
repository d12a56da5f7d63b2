import { readFileSync } from 'node:fs';

/** The version of Posthorn, of the OpenAPI document and of every generated package; and the repository, once it is public. */
export const { version, homepage, repository, bugs } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string } & Partial<Record<'homepage' | 'repository' | 'bugs', unknown>>;
