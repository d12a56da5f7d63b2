import { basename, join } from 'node:path';
import { createVitest } from 'vitest/node';

/** One Vitest for many runs, so that PostgreSQL and the build start only once. Each run ends with its first failure. */
export const openTests = async (root: string, maxWorkers: number) => {
  // Vitest's own result also lists test files that did not run, with the failures of an earlier run.
  let failures: string[] = [];
  let count = 0;

  const vitest = await createVitest('test', {
    root,
    watch: false,
    bail: 1,
    maxWorkers,
    reporters: [
      {
        onTestCaseResult: (test) => {
          const { state } = test.result();
          if (state !== 'skipped') count++;
          if (state === 'failed') failures.push(`${basename(test.module.moduleId)}: ${test.fullName}`);
        },
        onTestModuleEnd: (module) => {
          if (module.state() !== 'failed') return;
          const [error] = [module, ...module.children.allSuites()].flatMap((suite) => suite.errors());
          failures.push(`${basename(module.moduleId)}: ${error?.message ?? 'it fails'}`);
        },
      },
    ],
  });
  await vitest.standalone();

  return {
    /** What fails first in these test files, if anything does. `named` selects tests by their name. */
    firstFailure: async (files: readonly string[], named?: string) => {
      if (named) vitest.setGlobalTestNamePattern(named);
      else vitest.resetGlobalTestNamePattern();
      failures = [];
      count = 0;
      const paths = files.map((file) => join(root, file));
      const { unhandledErrors } = await vitest.rerunTestSpecifications(await vitest.globTestSpecifications(paths));
      for (const error of unhandledErrors) failures.push(`an error that no test caught: ${error}`);
      if (failures.length === 0 && count === 0)
        throw new Error(`No test of ${files.join(', ')} ran. Is one named ${named}?`);
      return failures[0];
    },

    invalidate: (file: string) => vitest.invalidateFile(join(root, file)),
    close: () => vitest.close(),
  };
};
