const [width, height, margin] = [108, 22, 3];

/** The reads of one account as a small line; the numbers stand beside it. */
export const Sparkline = ({ values }: { values: readonly number[] }) => {
  // One read is no line yet.
  if (values.length < 2) return null;
  const most = Math.max(...values, 1);
  const points = values.map((value, index) => ({
    x: margin + (index / (values.length - 1)) * (width - 2 * margin),
    y: height - margin - (value / most) * (height - 2 * margin),
  }));
  return (
    <svg width={width} height={height} aria-hidden="true">
      <polyline
        points={points.map(({ x, y }) => `${x},${y}`).join(' ')}
        fill="none"
        stroke="var(--chart-1)"
        strokeWidth={1.75}
      />
      {points.map(({ x, y }) => (
        <circle key={x} cx={x} cy={y} r={2.5} fill="var(--chart-1)" />
      ))}
    </svg>
  );
};
