import type { SharedPostgres } from './postgres.ts';

/** The program in dist/, as `npm start` runs it. */
export const buildProgram = () => ask('/program');

/** The web app in dist/web. */
export const buildWeb = () => ask('/web');

/** The help in dist/help. */
export const buildHelp = () => ask('/help');

/** One PostgreSQL server for the whole run. */
export const sharedPostgres = () => ask('/postgres') as Promise<SharedPostgres>;

/** Requests it from the main process of the test run, which builds or starts each once. */
const ask = async (path: string): Promise<unknown> => {
  const { inject } = await import('vitest');
  const answer = await fetch(inject('sharedUrl') + path);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
};
