import { median, ratio, table } from '../table.mjs';

/** Every figure is a cost as a multiple of another of the same round. This much more is worse, whatever the machine does. */
const mostGrowth = 1.3;

/** `all` has the rounds of each part; a round has costs by name. */
const spreadsOf = (all, describe) =>
  all.flatMap((rounds) => Object.keys(rounds[0]).map((what) => [what, describe(rounds.map((round) => round[what]))]));

export const mediansOf = (all) => new Map(spreadsOf(all, median));

/** Names of figures that cost 30 % more than in the reference. One that the reference lacks is not compared. */
export const findWorse = (reference, measured) =>
  [...measured].filter(([what, value]) => value >= mostGrowth * reference.get(what)).map(([what]) => what);

/** The lower of each cost, of those that were measured again: only what is worse both times is worse. */
export const lowerOf = (measured, again) =>
  new Map([...measured].map(([what, value]) => [what, Math.min(value, again.get(what) ?? value)]));

export const referenceTable = (all) => table(['what', 'cost'], spreadsOf(all, ratio));

export const comparisonTable = (reference, measured) => {
  const worse = findWorse(reference, measured);
  const format = (value) => (value === undefined ? '' : value.toFixed(value < 0.1 ? 3 : 2));
  const rows = [...measured].map(([what, value]) => {
    const before = reference.get(what);
    return [
      what,
      format(before),
      format(value),
      before === undefined ? 'new' : format(value / before),
      worse.includes(what) ? '**worse**' : '',
    ];
  });
  return table(['what', 'reference', 'now', 'to the reference', ''], rows);
};

/** The costs of a section that `referenceTable` wrote, without their quartiles. */
export const readReference = (rows) =>
  new Map(rows.map(([what, cost]) => [what, Number.parseFloat(cost)]).filter(([, cost]) => Number.isFinite(cost)));
