import { median, spread, table } from '../table.mjs';

/** `samples` are the rounds of every sender by its name, by the number of scheduled posts; the first sender is the baseline. */
export const report = ({ samples, due, warmUps, rounds }) => {
  const [smallest] = samples.keys();
  const head = ['scheduled', 'what', 'lateness p50, ms', 'lateness p99, ms', 'earliest, ms', 'posts/s', 'ratio'];
  const grown = [`p99 to ${smallest}`, 'CPU ms a send', `CPU to ${smallest}`];
  return [
    '## publish',
    '',
    `${due} posts to one account, due in the same second, while the number in the first column is scheduled. Lateness is from that moment until`,
    `the network has a post. The ratio is posts per second, 1.00 the bare loop of the same round; higher is faster. Median`,
    `[quartiles] of ${rounds} rounds in random order, after ${warmUps} that are not counted. CPU time is that of the sending process`,
    `with all its threads, until its last row is done. *p99 to ${smallest}* and *CPU to ${smallest}* are multiples of the same sender with ${smallest}`,
    `scheduled; lower is better. Node ${process.version}.`,
    '',
    table([...head, ...grown], rowsOf(samples, smallest)),
    '',
  ].join('\n');
};

export const valuesOf = (samples) => {
  const [smallest] = samples.keys();
  const values = [...samples].flatMap(([size, seen]) => [
    [`p99, ${size}`, medianOf(seen, 'Posthorn', 'p99')],
    [`CPU a send, ${size}`, medianOf(seen, 'Posthorn', 'cpuMs')],
    ...(size === smallest
      ? []
      : [
          [`growth of p99, ${size}`, growthOf(samples, 'Posthorn', 'p99', size, smallest)],
          [`growth of CPU, ${size}`, growthOf(samples, 'Posthorn', 'cpuMs', size, smallest)],
        ]),
  ]);
  return Object.fromEntries(values);
};

const medianOf = (seen, name, what) => median(seen.get(name).map((round) => round[what]));

const growthOf = (samples, name, what, size, smallest) =>
  medianOf(samples.get(size), name, what) / medianOf(samples.get(smallest), name, what);

const rowsOf = (samples, smallest) =>
  [...samples].flatMap(([size, seen]) => {
    const [[, base]] = seen;
    return [...seen].map(([name, rounds]) => {
      const each = (what, digits) =>
        formatSpread(
          rounds.map((round) => round[what]),
          digits,
        );
      const growth = (what) => growthOf(samples, name, what, size, smallest).toFixed(2);
      const ratios = rounds.map(({ perSecond }, i) => perSecond / base[i].perSecond);
      const hasCpu = rounds[0].cpuMs !== undefined;
      return [
        String(size),
        name,
        each('p50'),
        each('p99'),
        String(Math.min(...rounds.map(({ earliest }) => earliest))),
        each('perSecond'),
        rounds === base ? '1.00' : formatSpread(ratios, 2),
        growth('p99'),
        hasCpu ? each('cpuMs', 2) : '',
        hasCpu ? growth('cpuMs') : '',
      ];
    });
  });

const formatSpread = (values, digits = 0) => {
  const { low, middle, high } = spread(values);
  return `${middle.toFixed(digits)} [${low.toFixed(digits)}–${high.toFixed(digits)}]`;
};
