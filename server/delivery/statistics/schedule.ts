import { dayMs, hourMs } from '#contracts/time';

/** SPEC, Statistics rules 1: times after publication. Steps missed while nothing ran become one read. */
export const stepsMs = [hourMs, 6 * hourMs, dayMs, 3 * dayMs, 7 * dayMs, 30 * dayMs];
export const firstMs = Math.min(...stepsMs);
export const lastMs = Math.max(...stepsMs);
