import { Settings } from '#server/config/settings';
import { type Check, checksNamed } from '#server/health/check';

/** For `posthorn call`, which is another program. */
const ofCommands = ['POSTHORN_PROFILE', 'POSTHORN_TOKEN', 'POSTHORN_URL'];

/**
 * Names that begin as a setting of ours and are nearly one. Whatever is not that close belongs to somebody else: the
 * environment is shared with the system and other programs.
 */
export const checkSettingNames = (
  names: readonly string[],
  { ofNetworks, setting }: { ofNetworks: readonly string[]; setting: (name: string) => string | undefined },
): Check[] => {
  const known = [...new Set([...Object.keys(Settings.shape), ...ofNetworks])];
  return names.flatMap((name) => {
    // Kubernetes and Docker give every container the addresses of its services: DATABASE_PORT=tcp://…
    const isForeign = known.includes(name) || ofCommands.includes(name) || setting(name)?.startsWith('tcp://');
    const meant = isForeign ? undefined : known.find((one) => isNearly(name, one));
    return meant === undefined
      ? []
      : [checksNamed('settings').warning(`${name} is not a setting, and is ignored. Did you mean ${meant}?`)];
  });
};

const isNearly = (name: string, known: string) => {
  const [prefix = '', ...rest] = known.split('_');
  const tail = rest.join('_');
  if (tail === '' || !name.startsWith(`${prefix}_`)) return false;
  return distance(name.slice(prefix.length + 1), tail) <= Math.max(1, Math.floor(tail.length / 4));
};

/** How many letters have to be added, left out, changed or swapped with the next one. */
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
