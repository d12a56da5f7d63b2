import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { refetchOutdatedAnswers } from '#web/base/refetch-outdated-answers.ts';

test.each([false, true])(
  'what changed while its first answer was under way is read again, also after an error: %s',
  async (hasFailed) => {
    const client = new QueryClient();
    refetchOutdatedAnswers(client);
    const key = ['labels'];
    let current = hasFailed ? 'error' : 'before';
    let release = () => {};
    const query = {
      queryKey: key,
      retry: false,
      queryFn: async () => {
        const answer = current;
        if (answer === 'error') throw new Error('no answer');
        if (answer === 'before') {
          await new Promise<void>((resolve) => {
            release = resolve;
          });
        }
        return answer;
      },
    };
    const observer = new QueryObserver(client, query);
    const unsubscribe = observer.subscribe(() => undefined);
    const state = () => observer.getCurrentResult();
    if (hasFailed) {
      await expect.poll(() => state().isError).toBe(true);
      current = 'before';
      void observer.refetch();
    }
    current = 'after';
    void client.invalidateQueries({ queryKey: key });
    release();
    await expect.poll(() => state().data).toBe('after');
    unsubscribe();
    client.clear();
  },
);
