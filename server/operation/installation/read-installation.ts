import type { InstallationCheck } from '#contracts/installation';
import type { Check } from '#server/base/health/check';
import { checkDatabase, type InstallationParts, localRules } from './check-installation.ts';
import { type CheckRule, runChecks } from './run-checks.ts';

/** Every tab of an operator polls once a minute, and the checks are expensive. */
const cacheMs = 30_000;
const costlyCacheMs = 10 * 60_000;

export type ReadInstallation = ReturnType<typeof createReadInstallation>;

/** Checks that the operator has to act on, failures first. */
export const createReadInstallation = (parts: InstallationParts) => {
  let last: { readonly at: number; readonly checks: Promise<InstallationCheck[]> } | undefined;
  const adapt = createCache();

  const checkNow = async (): Promise<InstallationCheck[]> => {
    const checks = await Promise.all([runChecks(localRules(parts), { adapt }), checkDatabase(parts, { adapt })]);
    return (['failure', 'warning'] as const).flatMap((level) =>
      checks
        .flat()
        .filter((check) => check.level === level)
        .map(({ name, message }) => ({ name, level, message })),
    );
  };

  return () => {
    if (last === undefined || performance.now() - last.at > cacheMs) {
      last = { at: performance.now(), checks: checkNow() };
    }
    return last.checks;
  };
};

/** Only for what is well: the operator wants to see at once that something was mended. */
const createCache = () => {
  const good = new Map<string, { readonly at: number; readonly checks: readonly Check[] }>();
  return (rule: CheckRule): CheckRule => {
    if (!rule.isCostly) return rule;
    const run = async () => {
      const cached = good.get(rule.name);
      if (cached && performance.now() - cached.at < costlyCacheMs) return cached.checks;
      const checks = await rule.run();
      if (checks.every(({ level }) => level === 'ok' || level === 'note')) {
        good.set(rule.name, { at: performance.now(), checks });
      } else good.delete(rule.name);
      return checks;
    };
    return { ...rule, run };
  };
};
