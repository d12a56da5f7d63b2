import { expect, test } from 'vitest';
import { ConnectionError } from '#generated/app-client';
import { describeFailure, faultOf, NotDone } from '#web/base/faults.ts';

test('a person reads why the app itself stopped, and only an unknown error is a mistake of the app', () => {
  expect(faultOf(new NotDone('The browser used no passkey.')).message).toBe('The browser used no passkey.');
  expect(faultOf(new ConnectionError('fetch failed')).message).toMatch(/^The server does not answer/);
  expect(faultOf(new TypeError('x is undefined')).message).toMatch(/^The app made a mistake/);
});

test('of a change without an answer nothing is said but that its outcome is not known', () => {
  expect(describeFailure(new NotDone('The slot is gone.'), 'Not moved.')).toBe('Not moved. The slot is gone.');
  const text = describeFailure(new ConnectionError('fetch failed'), 'Not moved.');
  expect(text).toMatch(/^No answer arrived\. It may have worked anyway\./);
});
