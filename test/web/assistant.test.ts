import { expect, test } from 'vitest';
import { detailOf } from '#web/pages/assistant/action-details.ts';

test('a check says that a post does not fit only if that is why it failed', () => {
  const check = (state: 'done' | 'failed', code?: string) =>
    detailOf(
      { id: 'call_1', name: 'posts.validate', state, input: {}, output: code ? { error: { code } } : {}, fault: code },
      'UTC',
      [],
    );
  expect(check('done')).toBe('fits');
  expect(check('failed', 'Invalid')).toBe('does not fit');
  expect(check('failed', 'NotFound')).toBe('refused');
});
