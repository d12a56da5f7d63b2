import { type Problem, type ProblemKind, problemKinds } from './find-problems.ts';

/** The results of a run. Several runs can be added up. */
export interface Summary {
  readonly seeds: readonly string[];
  readonly minutes: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly figures: Readonly<Record<Figure, number>>;
  /** Sends that needed a person at their first final result, by error code. Without networks that cannot be asked. */
  readonly needsHuman: Readonly<Record<string, number>>;
  readonly problems: readonly Problem[];
  /** When processes, clocks and the database were hit, to help explain problems. */
  readonly timeline: readonly string[];
}

const figureNames = [
  'posts',
  'sends',
  'parts',
  'published',
  'arrivals',
  'settled by themselves',
  'sends that cannot be asked about',
  'of them need a human',
  'published again',
  'events',
  'deliveries',
  'cards',
  'cards pressed twice',
  'uploads',
  'scheduled within a plan',
  'refused by a plan',
  'starts of a process',
  'starts given up',
  'callers that gave up',
] as const;
export type Figure = (typeof figureNames)[number];

const humanAim = 0.05;
const maxProblemsShown = 60;

export const addSummaries = (summaries: readonly Summary[]): Summary => ({
  seeds: summaries.flatMap(({ seeds }) => seeds),
  minutes: summaries.reduce((sum, { minutes }) => sum + minutes, 0),
  faults: addUp(summaries.map(({ faults }) => faults)),
  figures: addUp(summaries.map(({ figures }) => figures)) as Record<Figure, number>,
  needsHuman: addUp(summaries.map(({ needsHuman }) => needsHuman)),
  problems: summaries.flatMap(({ problems }) => problems),
  timeline: summaries.flatMap(({ timeline }) => timeline),
});

const addUp = (records: readonly Readonly<Record<string, number>>[]) => {
  const sums: Record<string, number> = {};
  for (const record of records)
    for (const [name, count] of Object.entries(record)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
};

export const formatSummary = ({ seeds, minutes, faults, figures, needsHuman, problems }: Summary): string => {
  const rows: [string, string][] = [];
  const groups = new Map<string, string[]>();
  for (const [kind, times] of Object.entries(faults).sort()) {
    const [group = '', name = ''] = kind.split(' ');
    groups.set(group, [...(groups.get(group) ?? []), `${name} ${times}`]);
  }
  const allFaults = sum(faults);
  rows.push(['seed', seeds.join(', ')], ['minutes', minutes.toFixed(1)]);
  rows.push(['faults', `${allFaults} (${Math.round(allFaults / minutes)} a minute)`]);
  for (const [group, names] of groups) rows.push([`  ${group}`, names.join(', ')]);
  for (const name of figureNames) rows.push([name, String(figures[name] ?? 0)]);
  const human = sum(needsHuman);
  const judged = figures.sends - figures['sends that cannot be asked about'];
  const share = judged > 0 ? human / judged : 0;
  const codes = Object.entries(needsHuman).map(([code, times]) => `${code} ${times}`);
  rows.push([
    'needs a human',
    `${human} (${percent(share)}, aim ${percent(humanAim)}${share > humanAim ? ': MISSED' : ''}) ${codes.join(', ')}`,
  ]);
  for (const kind of problemKinds) rows.push([kind, String(countOf(problems, kind))]);
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  const table = rows.map(([name, value]) => name.padEnd(width) + value).join('\n');
  const shown = problems.slice(0, maxProblemsShown).map(({ kind, what }) => `${kind}: ${what}`);
  const rest = problems.length - shown.length;
  return [
    table,
    '',
    problems.length === 0 ? 'No problem.' : `${problems.length} problems:`,
    ...shown,
    ...(rest > 0 ? [`… and ${rest} more (--json has all)`] : []),
  ].join('\n');
};

const sum = (record: Readonly<Record<string, number>>) =>
  Object.values(record).reduce((total, count) => total + count, 0);
const countOf = (problems: readonly Problem[], kind: ProblemKind) => problems.filter((one) => one.kind === kind).length;
const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
