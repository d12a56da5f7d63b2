import type { InstallationCheck } from '#contracts/installation';
import { checkInstallation, type InstallationParts } from './check-installation.ts';

/** Every tab of an operator asks once a minute. */
const freshMs = 30_000;

export type ReadInstallation = ReturnType<typeof createReadInstallation>;

/** What an operator has to do something about, failures first. */
export const createReadInstallation = (parts: InstallationParts) => {
  let last: { readonly at: number; readonly checks: Promise<InstallationCheck[]> } | undefined;

  const checkNow = async (): Promise<InstallationCheck[]> => {
    const checks = await checkInstallation(parts);
    return (['failure', 'warning'] as const).flatMap((level) =>
      checks.filter((check) => check.level === level).map(({ name, message }) => ({ name, level, message })),
    );
  };

  return () => {
    if (last === undefined || performance.now() - last.at > freshMs) {
      last = { at: performance.now(), checks: checkNow() };
    }
    return last.checks;
  };
};
