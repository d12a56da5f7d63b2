/** The middle and the quartiles: one disturbed round moves none of them. */
export const spread = (values) => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share) => {
    const place = (sorted.length - 1) * share;
    const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
    return below + (above - below) * (place % 1);
  };
  return { low: at(0.25), middle: at(0.5), high: at(0.75) };
};

export const median = (values) => spread(values).middle;

/** `0.71 [0.68–0.75]` */
export const ratio = (values) => {
  const { low, middle, high } = spread(values);
  return `${short(middle)} [${short(low)}–${short(high)}]`;
};

const short = (value) => (value < 0.095 ? value.toFixed(3) : value.toFixed(2));

export const shuffled = (list) => {
  const copy = [...list];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [copy[i], copy[j]] = [copy[j], copy[i]];
  }
  return copy;
};

/** A markdown table, with columns wide enough to be read as it stands. */
export const table = (head, rows) => {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column].length)));
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line)].join('\n');
};

/** Prints progress: overwrites one line on a terminal, appends lines otherwise. */
export const say = (what) => process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${what}` : `${what}\n`);
