const [width, height, inset] = [96, 28, 4];

/** A line through the values, with a dot at the last one, or at each. The values are readable beside it. */
export const Sparkline = ({ values, isDotted = false }: { values: readonly number[]; isDotted?: boolean }) => {
  if (values.length < 2) return null;
  const max = Math.max(...values, 1);
  const points = values.map((value, index) => ({
    x: inset + (index / (values.length - 1)) * (width - 2 * inset),
    y: height - inset - (value / max) * (height - 2 * inset),
  }));
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <polyline
        points={points.map(({ x, y }) => `${x},${y}`).join(' ')}
        fill="none"
        stroke="var(--chart-1)"
        strokeWidth="1.75"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
      {(isDotted ? points : points.slice(-1)).map(({ x, y }) => (
        <circle key={x} cx={x} cy={y} r="2.5" fill="var(--chart-1)" />
      ))}
    </svg>
  );
};
