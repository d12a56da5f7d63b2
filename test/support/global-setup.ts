import type { TestProject } from 'vitest/node';
import { build } from './builds.ts';
import { startPostgres } from './postgres.ts';

/** What all test files share. */
export default async function setup(project: TestProject) {
  const [stop] = await Promise.all([startPostgres(project), build()]);
  return stop;
}
