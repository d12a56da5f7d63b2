import { quantity } from '#server/base/quantity';

export type CheckLevel = 'ok' | 'note' | 'warning' | 'failure';

/**
 * The state of one part of the installation. The message says what is wrong, then what to do. A note is about something
 * optional that is not set up. A warning will become a failure, or already is one for some users.
 */
export interface Check {
  readonly name: string;
  readonly level: CheckLevel;
  readonly message: string;
}

/** Creates checks with this name, one function per level. */
export const checksNamed = (name: string) => {
  const at =
    (level: CheckLevel) =>
    (message: string): Check => ({ name, level, message });
  return { ok: at('ok'), note: at('note'), warning: at('warning'), failure: at('failure') };
};

/** `1 post is`, `8 posts are`. */
export const countOf = (count: number, noun: string, [one, many]: readonly [string, string] = ['is', 'are']) =>
  quantity(count, `${noun} ${one}`, `${noun}s ${many}`);

const units: readonly (readonly [string, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** `3 hours`. */
export const describeDuration = (ms: number) => {
  const [unit, unitMs] = units.find(([, size]) => ms >= 2 * size) ?? ['second', 1_000];
  return `${Math.round(ms / unitMs)} ${unit}s`;
};
