// Runs servers against each other on one database; shared by the rest, mcp and peers metrics.
import { atPlace, poolSize } from './place.mjs';
import { cpuSeconds, messageFrom, startFile } from './processes.mjs';
import { median, ratio, say, shuffled, table } from './table.mjs';

const warmUpSeconds = 3; // the service has more code to warm than a bare handler

/**
 * `enter(place)` starts the servers, the 1.00 baseline first, and returns
 * `{ servers, work, afterVisit?, close?, compared? }`, where `work` holds the requests by name.
 */
export const contest = ({ title, intro, connections: usual, enter }, { rounds = 5, seconds = 1.5, ...options }) =>
  atPlace(options, async (place) => {
    const entered = await enter(place, options);
    const connections = options.blink ? 2 : usual;
    // With --blink each server answers a fixed number of requests, however long that takes.
    const how = options.blink ? { amount: 2 * connections } : { warmUp: warmUpSeconds };
    const samples = await run(entered, { rounds, seconds, connections, ...how });
    const text = report(entered, samples, { title, intro, rounds, seconds, connections });
    return { text, values: valuesOf(entered, samples, rounds) };
  });

/** Starts the load. What it returns sends it to one server, for some seconds or an amount of requests, and measures. */
export const openVisits = ({ work, afterVisit }, { connections }) => {
  const load = startFile('load.mjs');
  return async ({ url, pid, name }, what, { seconds, amount }) => {
    const { path, headers, bodies } = work[what];
    const before = cpuSeconds(pid);
    load.send({ url: url + path, headers, bodies, connections, seconds, amount });
    const { answered, failed, seconds: took } = await messageFrom(load);
    const after = cpuSeconds(pid);
    if (failed > 0 || answered === 0) throw new Error(`${what} at ${name}: ${failed} failed, ${answered} answered`);
    await afterVisit?.(what);
    return { perSecond: answered / took, cpu: before === undefined ? undefined : (after - before) / answered };
  };
};

const run = async (entered, { rounds, seconds, connections, warmUp, amount }) => {
  const { servers, work, close } = entered;
  const visit = openVisits(entered, { connections });
  if (warmUp) {
    say('warming up …');
    for (const what of Object.keys(work)) for (const server of servers) await visit(server, what, { seconds: warmUp });
  }
  const samples = [];
  for (let round = 1; round <= rounds; round++) {
    say(`round ${round} of ${rounds} …`);
    for (const what of Object.keys(work)) {
      for (const server of shuffled(servers)) {
        samples.push({ round, what, server: server.name, ...(await visit(server, what, { seconds, amount })) });
      }
    }
  }
  if (process.stderr.isTTY) say('');
  await close?.();
  return samples;
};

const ratiosOf = (samples, rounds) => {
  const sampleOf = (round, what, { name }) =>
    samples.find((sample) => sample.round === round && sample.what === what && sample.server === name);
  return (what, one, other, compare) =>
    Array.from({ length: rounds }, (_, i) => compare(sampleOf(i + 1, what, one), sampleOf(i + 1, what, other)));
};

/** Requests per CPU second, as ratios to the 1.00 baseline and for the pairs in `compared`. */
const valuesOf = ({ servers, work, compared = [] }, samples, rounds) => {
  const [base] = servers;
  const ratios = ratiosOf(samples, rounds);
  const pairs = [...servers.map((server) => [server.name, server, base]), ...compared.map(named)];
  return Object.fromEntries(
    pairs.flatMap(([name, one, other]) =>
      Object.keys(work).map((what) => [
        `${name}, ${what}`,
        median(ratios(what, one, other, (mine, theirs) => theirs.cpu / mine.cpu)),
      ]),
    ),
  );
};

const named = ([one, other]) => [`${one.name} : ${other.name}`, one, other];

/** `compared` lists further pairs of servers to compute a ratio for. */
const report = ({ servers, work, compared = [] }, samples, { title, intro, rounds, seconds, connections }) => {
  const names = Object.keys(work);
  const [base] = servers;
  const ratios = ratiosOf(samples, rounds);
  const row = (label, one, other, compare) => [
    label,
    ...names.map((what) => (one === other ? '1.00' : ratio(ratios(what, one, other, compare)))),
  ];
  const lines = (compare) =>
    table(
      ['server', ...names],
      [
        ...servers.map((server) => row(server.name, server, base, compare)),
        ...compared.map((pair) => row(...named(pair), compare)),
      ],
    );
  return [
    `## ${title}`,
    '',
    `1.00 is ${base.name}${intro}; higher is faster. Median [quartiles] of the ratios within each round.`,
    `${rounds} rounds, ${seconds} s a visit in random order, ${connections} connections, pool of ${poolSize}, Node ${process.version}, one process a`,
    'server, PostgreSQL on the same machine.',
    ...(samples[0].cpu === undefined
      ? []
      : ['', 'Requests per CPU second of the server process:', '', lines((one, other) => other.cpu / one.cpu)]),
    '',
    'Requests per second, with load and database on the same cores:',
    '',
    lines((one, other) => one.perSecond / other.perSecond),
    '',
  ].join('\n');
};
