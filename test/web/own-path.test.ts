import { expect, test } from 'vitest';
import { ownPath } from '#web/base/own-path.ts';

test.each(['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)'])(
  'the way back after a sign-in is never another site: %s',
  (next) => {
    expect(ownPath(next)).toBe('/');
  },
);

test('the way back after a sign-in is the page that the person wanted', () => {
  expect(ownPath('/approvals?show=decided')).toBe('/approvals?show=decided');
  expect(ownPath(undefined)).toBe('/');
});
