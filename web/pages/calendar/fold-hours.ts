/** A run of hours: one row per hour if it is open, one band if it is folded. */
export interface Run {
  /** First hour, 0 to 23. */
  from: number;
  /** Exclusive. */
  to: number;
  isFolded: boolean;
}

/** A stretch of wall time, in minutes of the day. */
export interface Busy {
  from: number;
  to: number;
}

const minRun = 4;
/** With nothing planned only the night is folded: a calendar without hours could not be clicked. */
const night: Busy = { from: 6 * 60, to: 24 * 60 };

/** Folds every run of four or more hours in which nothing is planned, except those that a person opened. */
export const foldHours = (busy: readonly Busy[], opened: ReadonlySet<number> = new Set()): Run[] => {
  const isBusy = Array<boolean>(24).fill(false);
  for (const { from, to } of busy.length > 0 ? busy : [night]) {
    for (let hour = Math.floor(from / 60); hour < Math.min(24, Math.ceil(to / 60)); hour++) isBusy[hour] = true;
  }
  const runs: Run[] = [];
  for (let from = 0; from < 24; ) {
    let to = from + 1;
    while (to < 24 && isBusy[to] === isBusy[from]) to++;
    const isFolded = !isBusy[from] && to - from >= minRun && !opened.has(from);
    const last = runs.at(-1);
    // An opened run stays apart, so that it can be folded again.
    if (last && !isFolded && !last.isFolded && !opened.has(from) && !opened.has(last.from)) last.to = to;
    else runs.push({ from, to, isFolded });
    from = to;
  }
  return runs;
};

export const openHours = (runs: readonly Run[]) =>
  runs.flatMap(({ from, to, isFolded }) =>
    isFolded ? [] : Array.from({ length: to - from }, (_, index) => from + index),
  );

/** The vertical position of a minute of the day, counted in open hours and folded bands. */
export const offsetOf = (runs: readonly Run[], minute: number): { hours: number; bands: number } => {
  const offset = { hours: 0, bands: 0 };
  for (const { from, to, isFolded } of runs) {
    const share = Math.min(1, Math.max(0, (minute - from * 60) / ((to - from) * 60)));
    if (isFolded) offset.bands += share;
    else offset.hours += share * (to - from);
  }
  return offset;
};

const clock = (hour: number) => `${String(hour).padStart(2, '0')}:00`;

/** `00:00 – 06:00` */
export const nameRun = ({ from, to }: Pick<Run, 'from' | 'to'>) => `${clock(from)} – ${clock(to)}`;
