import { availableParallelism } from 'node:os';
import { defineConfig, type Plugin } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take long start first, so that none is left alone at the end; those that wait alternate with busy ones. */
const slowest = [
  'bench',
  'editor',
  'videos',
  'killed-process',
  'cli',
  'soak',
  'generate',
  'built-engines',
  'many-processes',
  'demo',
  'operation',
  'doctor',
  'picture-memory',
  'stopped-instance',
  'backups',
  'entry',
  'calendar',
  'planning',
  'scale',
  'hostile-input',
];
const placeOf = ({ moduleId }: TestSpecification) => {
  const place = slowest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
  return place < 0 ? slowest.length : place;
};

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

/** Vitest hands cached modules to its own process as bytes, where the first stack trace then fails: only workers use them. */
const cacheForWorkers: Plugin = {
  name: 'cache-for-workers',
  configureVitest: ({ experimental_defineCacheKeyGenerator }) =>
    experimental_defineCacheKeyGenerator(({ environment }) => (environment.name === '__vitest__' ? false : undefined)),
};

export default defineConfig({
  plugins: [cacheForWorkers],
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    // Longer than `until` waits, which says what it waited for.
    testTimeout: 300_000,
    // The first file that asks for a build waits for it in a hook.
    hookTimeout: 300_000,
    // The default of a second is short on a busy machine, and every 50 ms would keep services and browsers busy.
    expect: { poll: { timeout: 60_000, interval: 100 } },
    // To compile the service takes longer than most files: what has not changed is taken from the run before.
    experimental: { fsModuleCache: true, fsModuleCachePath: 'node_modules/.cache/vitest' },
    pool: 'forks',
    // Without it 1,900 tests took 6 to 13 % more CPU time, for collecting garbage: young objects outlive the default of 16 MB.
    execArgv: ['--max-semi-space-size=64'],
    // To load the service takes seconds: the files that one process runs share it. A test leaves no fake timer, no
    // mock and no environment behind.
    isolate: false,
    // Many tests wait for processes, the network or a browser: with two workers, a third of two cores is idle. Four are no faster.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: SlowestFirst },
  },
});
