import { Settings } from '#server/base/config/settings';
import { type Check, checksNamed } from '#server/base/health/check';

/** Read by `posthorn call`, a separate program. */
const commandSettings = ['POSTHORN_PROFILE', 'POSTHORN_TOKEN', 'POSTHORN_URL'];

/**
 * Warns about names that are nearly one of our settings and share its first word. Less similar names are ignored,
 * because the environment also holds variables of the system and other programs.
 */
export const checkSettingNames = (
  names: readonly string[],
  { ofNetworks, setting }: { ofNetworks: readonly string[]; setting: (name: string) => string | undefined },
): Check[] => {
  const settingNames = [...new Set([...Object.keys(Settings.shape), ...ofNetworks])];
  return names.flatMap((name) => {
    // Kubernetes and Docker give every container the addresses of its services: DATABASE_PORT=tcp://…
    const isIgnored =
      settingNames.includes(name) || commandSettings.includes(name) || setting(name)?.startsWith('tcp://');
    const suggestion = isIgnored ? undefined : settingNames.find((one) => isNearly(name, one));
    return suggestion === undefined
      ? []
      : [checksNamed('settings').warning(`${name} is not a setting, and is ignored. Did you mean ${suggestion}?`)];
  });
};

const isNearly = (name: string, settingName: string) => {
  const [prefix = '', ...rest] = settingName.split('_');
  const tail = rest.join('_');
  if (tail === '' || !name.startsWith(`${prefix}_`)) return false;
  return distance(name.slice(prefix.length + 1), tail) <= Math.max(1, Math.floor(tail.length / 4));
};

/** Edit distance with insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). */
const distance = (a: string, b: string): number => {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const next = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      next.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [before, last] = [last, next];
  }
  return last[b.length] ?? 0;
};
