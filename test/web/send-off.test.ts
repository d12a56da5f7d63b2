import { expect, test } from 'vitest';
import {
  describeStep,
  formatElapsed,
  mergeSteps,
  reachOf,
  rememberEndings,
  type SendState,
  type Step,
  withEndings,
} from '#web/send-off/steps.ts';
import { titleOf } from '#web/send-off/summary.ts';

const first = '2026-11-16T09:00:00.000000Z';
const again = '2026-11-16T10:00:00.000000Z';
const step = (name: Step['step'], rest: Partial<Step> = {}): Step => ({
  accountId: 'acct_1',
  step: name,
  startedAt: first,
  ...rest,
});
const picture = (number: number, rest: object = {}) =>
  step('Media', { media: { kind: 'Image', number, count: 3, ...rest } });

test('a line is a third drawn when its first request leaves, follows the files, and waits at 90 % for the answer', () => {
  expect(reachOf(step('Queued'))).toBe(0);
  expect(reachOf(step('Sending'))).toBeCloseTo(1 / 3);
  const reaches = [picture(1), picture(2), picture(2, { sentBytes: 5, bytes: 10 }), picture(3)].map(reachOf);
  expect(reaches).toEqual([...reaches].sort());
  expect(reaches[0]).toBeCloseTo(1 / 3);
  expect(reaches.at(-1)).toBeLessThan(0.9);
  expect(reachOf(step('Sending', { awaitsAnswer: true }))).toBe(0.9);
  expect(reachOf(step('Published'))).toBe(1);
  expect(reachOf(step('Sending', { awaitsAnswer: true, part: { number: 1, count: 2 } }))).toBeCloseTo(0.45);
});

test('a step that the server does not place leaves the line where it is', () => {
  for (const name of ['Processing', 'Retrying', 'Failed'] as const) expect(reachOf(step(name))).toBeUndefined();
});

test('a step that arrives after the end, or from the send before, changes nothing', () => {
  const out = [step('Published', { elapsedMs: 700 })];
  expect(mergeSteps(out, [step('Sending')])).toEqual(out);
  const next = [step('Queued', { startedAt: again })];
  expect(mergeSteps(next, [step('Failed')])).toEqual(next);
  expect(mergeSteps(out, next)).toEqual(next);
});

test('an answer that was read before an account ended does not undo its end', () => {
  const out = step('Published', { elapsedMs: 700 });
  rememberEndings('post_1', [out, step('Sending', { accountId: 'acct_2' })]);
  expect(withEndings('post_1', [step('Published')])).toEqual([out]);
  expect(withEndings('post_1', [step('Sending')])).toEqual([out]);
  expect(withEndings('post_1', [step('Queued', { startedAt: again })])).toEqual([step('Queued', { startedAt: again })]);
  expect(withEndings('post_2', [step('Sending')])).toEqual([step('Sending')]);
});

test('the words of a step say what is known and no more', () => {
  const words = (one: Step | undefined) => describeStep(one, 'Mastodon', 'Europe/Paris');
  expect(words(undefined)).toBe('Waits its turn');
  expect(words(picture(2))).toBe('Picture 2 of 3');
  expect(words(step('Media', { media: { kind: 'Video', number: 1, count: 1, sentBytes: 40, bytes: 100 } }))).toBe(
    'Video, 40 %',
  );
  expect(words(step('Processing'))).toBe('Waiting for Mastodon');
  expect(words(step('Retrying', { at: '2026-11-16T09:42:00.000000Z' }))).toBe('Next try at 10:42');
  expect([700, 9_950, 61_000, 200_000].map(formatElapsed)).toEqual(['0.7 s', '10 s', '61 s', '3 min']);
});

test('the title changes only when an account has ended in trouble, or all are out', () => {
  const rowsOf = (elapsedMs: number, ...states: SendState['state'][]) =>
    states.map((state): SendState => ({ state, provider: 'Mastodon', step: step('Published', { elapsedMs }) }));
  const rows = (...states: SendState['state'][]) => rowsOf(8_400, ...states);
  expect(titleOf(rows('Running', 'Running'))).toBe('Going out to 2 accounts');
  expect(titleOf(rows('Out', 'Running'))).toBe('Going out to 2 accounts');
  expect(titleOf(rows('Out', 'Failed', 'Running'))).toBe('Out on 1 account, 1 failed');
  expect(titleOf(rows('Out', 'Uncertain'))).toBe('Out on 1 account, 1 uncertain');
  expect(titleOf(rows('Failed', 'Failed'))).toBe('Did not go out: 2 failed');
  expect(titleOf(rows('Out', 'Out'))).toBe('Out on 2 accounts in 9 s.');
  expect(titleOf(rowsOf(280, 'Out'))).toBe('Out on 1 account in 0.3 s.');
  // One of them was published again an hour later, so there is no common duration.
  const [one, two] = rows('Out', 'Out');
  const later = { ...two, step: step('Published', { startedAt: again, elapsedMs: 700 }) } as SendState;
  expect(titleOf([one as SendState, later])).toBe('Out on 2 accounts.');
});
