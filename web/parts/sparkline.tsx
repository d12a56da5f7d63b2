const [width, height, inset] = [96, 28, 4];

/** The run of a few numbers; the numbers themselves stand beside it. */
export const Sparkline = ({ values }: { values: readonly number[] }) => {
  const most = Math.max(...values, 1);
  const points = values.map((value, index) => [
    inset + (index * (width - 2 * inset)) / Math.max(1, values.length - 1),
    height - inset - (value / most) * (height - 2 * inset),
  ]);
  const [lastX = 0, lastY = 0] = points.at(-1) ?? [];
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <polyline
        points={points.map((point) => point.join(',')).join(' ')}
        fill="none"
        stroke="var(--chart-1)"
        strokeWidth="1.75"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
      <circle cx={lastX} cy={lastY} r="2.5" fill="var(--chart-1)" />
    </svg>
  );
};
