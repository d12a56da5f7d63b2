type Spot = readonly [x: number, y: number];

/** Axis of at most four steps to a round maximum: 872 gives 1,000 in steps of 250. A step is at least 1. */
export const axisFor = (highest: number): { top: number; step: number } => {
  const minStep = Math.max(highest, 1) / 4;
  const unit = 10 ** Math.floor(Math.log10(minStep));
  const rounds = [1, 2, 2.5, 5, 10].map((factor) => factor * unit);
  const step = Math.max(1, Math.ceil(rounds.find((round) => round >= minStep) ?? minStep));
  return { step, top: step * Math.max(1, Math.ceil(highest / step)) };
};

/** Monotone cubic interpolation (Fritsch–Carlson): the curve never overshoots its points. */
export const linePath = (spots: readonly Spot[]): string => {
  const [first] = spots;
  if (first === undefined) return '';
  const risesTo = spots.map(([x, y], at) => {
    const [beforeX, beforeY] = spots[at - 1] ?? [x, y];
    return x === beforeX ? 0 : (y - beforeY) / (x - beforeX);
  });
  const inner = (at: number) => {
    const [left, right] = [risesTo[at] ?? 0, risesTo[at + 1] ?? 0];
    if (left * right <= 0) return 0;
    return Math.sign(left) * Math.min(2 * Math.abs(left), 2 * Math.abs(right), Math.abs(left + right) / 2);
  };
  const last = spots.length - 1;
  const slope = (at: number) => {
    if (at === 0) return last < 2 ? (risesTo[1] ?? 0) : (3 * (risesTo[1] ?? 0) - inner(1)) / 2;
    if (at === last) return last < 2 ? (risesTo[last] ?? 0) : (3 * (risesTo[last] ?? 0) - inner(last - 1)) / 2;
    return inner(at);
  };
  const roundToTenth = (value: number) => Math.round(value * 10) / 10;
  return spots.slice(1).reduce(
    (path, [x, y], before) => {
      const [fromX, fromY] = spots[before] ?? first;
      const third = (x - fromX) / 3;
      const points = [
        [fromX + third, fromY + third * slope(before)],
        [x - third, y - third * slope(before + 1)],
        [x, y],
      ];
      return `${path}C${points.map(([px = 0, py = 0]) => `${roundToTenth(px)},${roundToTenth(py)}`).join(' ')}`;
    },
    `M${roundToTenth(first[0])},${roundToTenth(first[1])}`,
  );
};
