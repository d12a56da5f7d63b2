type Spot = readonly [x: number, y: number];

/** Axis of at most four steps to a round maximum: 872 gives 1,000 in steps of 250. A step is at least 1. */
export const axisFor = (highest: number): { top: number; step: number } => {
  const minStep = Math.max(highest, 1) / 4;
  const unit = 10 ** Math.floor(Math.log10(minStep));
  const rounds = [1, 2, 2.5, 5, 10].map((factor) => factor * unit);
  const step = Math.max(1, Math.ceil(rounds.find((round) => round >= minStep) ?? minStep));
  return { step, top: step * Math.max(1, Math.ceil(highest / step)) };
};

/** Straight segments: a curve would show values between two days that nobody measured. */
export const linePath = (spots: readonly Spot[]): string =>
  spots.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${roundToTenth(x)},${roundToTenth(y)}`).join('');

const roundToTenth = (value: number) => Math.round(value * 10) / 10;
