/** `1,284`, `38.2k`, `1.4M` */
export const formatNumber = (value: number): string => {
  const size = Math.abs(value);
  if (size < 10_000) return value.toLocaleString('en-GB');
  const [divisor, unit] = size < 999_950 ? [1000, 'k'] : [1_000_000, 'M'];
  return `${(value / divisor).toFixed(1).replace(/\.0$/, '')}${unit}`;
};

export const formatBytes = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} B`;
  const [divisor, unit] = bytes < 1_000_000 ? [1000, 'kB'] : bytes < 1e9 ? [1e6, 'MB'] : [1e9, 'GB'];
  return `${(bytes / divisor).toFixed(bytes / divisor < 10 ? 1 : 0)} ${unit}`;
};

/** `1 post`, `3 posts` */
export const count = (value: number, one: string, many = `${one}s`) =>
  `${formatNumber(value)} ${value === 1 ? one : many}`;
