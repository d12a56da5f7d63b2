// Whether the service costs more than it did: a few figures of the others in three minutes, each beside a baseline.
import { atPlace } from '../place.mjs';
import { cpuSeconds } from '../processes.mjs';
import { say, shuffled } from '../table.mjs';
import { comparisonTable, findWorse, lowerOf, mediansOf, referenceTable } from './compare.mjs';
import { openMcp, openPublish, openRest, openWebhooks } from './parts.mjs';

const figures = { due: 1_000, sizes: [1_000, 10_000], aheadMs: 1_500, perWebhook: 250, connections: 16 };
const blinkFigures = { due: 10, sizes: [10, 40], aheadMs: 1_000, perWebhook: 1, connections: 2 };

/** Compares with `reference`, a map of costs; without one the result is what becomes the reference. */
export const measure = ({ rounds = 5, blink, reference }) =>
  atPlace({ blink }, async (shared) => {
    // Its parts compare answers, which the posts and settings of other figures would change.
    const place = blink ? await shared.apart() : shared;
    if (cpuSeconds(process.pid) === undefined) throw new Error('guard reads CPU times from /proc: run it on Linux.');
    const turn = { ...(blink ? blinkFigures : figures), blink };
    say('starting …');
    const parts = [];
    // rest deletes the posts that are made after its own, so mcp makes its posts first.
    for (const open of [openMcp, openRest, openWebhooks, openPublish]) parts.push(await open(place, turn));
    if (!blink) {
      say('warming up …');
      for (const part of parts) await part.warmUp();
    }
    const result = await judge(parts, rounds, reference);
    for (const { close } of parts) await close();
    return result;
  });

const judge = async (parts, rounds, reference) => {
  const samples = await sampleRounds(parts, rounds);
  const all = [...samples.values()];
  if (reference === undefined) return { text: referenceText(all), values: {} };
  const measured = mediansOf(all);
  const worse = findWorse(reference, measured);
  if (worse.length === 0) return { text: comparisonText(reference, measured), worse };
  // Another program may have disturbed these rounds.
  say(`Worse, so measured once more: ${worse.join('; ')}`);
  const concerned = parts.filter((part) => Object.keys(samples.get(part)[0]).some((what) => worse.includes(what)));
  const again = mediansOf([...(await sampleRounds(concerned, rounds)).values()]);
  const lower = lowerOf(measured, again);
  return { text: comparisonText(reference, lower), worse: findWorse(reference, lower) };
};

/** The rounds of each part. */
const sampleRounds = async (parts, rounds) => {
  const samples = new Map(parts.map((part) => [part, []]));
  for (let round = 1; round <= rounds; round++) {
    say(`round ${round} of ${rounds} …`);
    for (const part of shuffled(parts)) samples.get(part).push(await part.sample());
  }
  if (process.stderr.isTTY) say('');
  return samples;
};

const intro = [
  'A cost as a multiple of another of the same round; lower is better. Median [quartiles] of the rounds, all in random order.',
  '`npm run bench -- guard` fails where a cost is 30 % above the one here.',
];

const referenceText = (samples) => ['## guard', '', ...intro, '', referenceTable(samples), ''].join('\n');

const comparisonText = (reference, measured) => {
  const worse = findWorse(reference, measured);
  const end =
    worse.length === 0
      ? 'Nothing costs 30 % more than in the reference.'
      : `Worse by 30 % or more:\n${worse.map((what) => `- ${what}\n`).join('')}`;
  return ['## guard', '', comparisonTable(reference, measured), '', end, ''].join('\n');
};
