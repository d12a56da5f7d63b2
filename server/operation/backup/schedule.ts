/** Times of nightly backups, by the clock of the machine. */

export interface Keep {
  readonly days: number;
  readonly weeks: number;
}

/** The last time before `now` at which a backup was due. */
export const lastSlot = (now: Date, at: string): Date => {
  const [hours = 0, minutes = 0] = at.split(':').map(Number);
  const slot = new Date(now);
  slot.setHours(hours, minutes, 0, 0);
  if (slot > now) slot.setDate(slot.getDate() - 1);
  return slot;
};

/** `2026-11-17`: one backup per night, even in the night when clocks go back and an hour comes twice. */
export const nameOfDay = (day: Date) =>
  [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0')).join('-');

/** The Monday that a week begins with. */
const nameOfWeek = (day: Date) => {
  const monday = new Date(day);
  monday.setDate(day.getDate() - ((day.getDay() + 6) % 7));
  return nameOfDay(monday);
};

/** Backups that may be removed: all except the newest of each day or week that is kept. `backups` is newest first. */
export const findExpired = <Backup extends { readonly startedAt: string }>(
  backups: readonly Backup[],
  { days, weeks }: Keep,
): Backup[] => {
  const survivors = new Set([
    ...newestOfEach(backups, days, nameOfDay),
    ...newestOfEach(backups, weeks, nameOfWeek),
    // Keep the newest backup, however few the settings keep.
    ...backups.slice(0, 1),
  ]);
  return backups.filter((backup) => !survivors.has(backup));
};

const newestOfEach = <Backup extends { readonly startedAt: string }>(
  backups: readonly Backup[],
  most: number,
  nameOf: (day: Date) => string,
) => {
  const newest = new Map<string, Backup>();
  for (const backup of backups) {
    const name = nameOf(new Date(backup.startedAt));
    if (!newest.has(name)) newest.set(name, backup);
  }
  return [...newest.values()].slice(0, most);
};
