import { expect, test } from 'vitest';
import { ConnectionError } from '#generated/app-client';
import { faultOf, NotDone } from '#web/faults.ts';

test('a person reads why the app itself stopped, and only an unknown error is a mistake of the app', () => {
  expect(faultOf(new NotDone('The browser used no passkey.')).message).toBe('The browser used no passkey.');
  expect(faultOf(new ConnectionError('fetch failed')).message).toMatch(/^The server does not answer/);
  expect(faultOf(new TypeError('x is undefined')).message).toMatch(/^The app made a mistake/);
});
