import { readFileSync } from 'node:fs';

/** Of Posthorn, and so of the document and of every package that is made here. Where it is kept, once that is known. */
export const { version, homepage, repository, bugs } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string } & Partial<Record<'homepage' | 'repository' | 'bugs', unknown>>;
