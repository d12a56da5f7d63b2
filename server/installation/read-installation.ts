import type { InstallationCheck } from '#contracts/installation';
import { databaseRules, type InstallationParts, localRules } from './check-installation.ts';
import { runChecks } from './run-checks.ts';

/** Every tab of an operator polls once a minute, and the checks are expensive. */
const cacheMs = 30_000;

export type ReadInstallation = ReturnType<typeof createReadInstallation>;

/** Checks that the operator has to act on, failures first. */
export const createReadInstallation = (parts: InstallationParts) => {
  let last: { readonly at: number; readonly checks: Promise<InstallationCheck[]> } | undefined;

  const checkNow = async (): Promise<InstallationCheck[]> => {
    const checks = await runChecks([...localRules(parts), ...(await databaseRules(parts))]);
    return (['failure', 'warning'] as const).flatMap((level) =>
      checks.filter((check) => check.level === level).map(({ name, message }) => ({ name, level, message })),
    );
  };

  return () => {
    if (last === undefined || performance.now() - last.at > cacheMs) {
      last = { at: performance.now(), checks: checkNow() };
    }
    return last.checks;
  };
};
