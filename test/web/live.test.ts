import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createStaleDomains } from '#web/live/stale-domains.ts';

let client: QueryClient;
let reads: string[];

beforeEach(() => {
  vi.useFakeTimers();
  client = new QueryClient();
  reads = [];
});
afterEach(() => {
  client.clear();
  vi.useRealTimers();
});

const show = async (queryKey: string[], read: () => Promise<string> = async () => 'answer') => {
  const queryFn = () => {
    reads.push(queryKey.join(' '));
    return read();
  };
  new QueryObserver(client, { queryKey, queryFn, staleTime: Number.POSITIVE_INFINITY }).subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(0);
  reads.length = 0;
};

test('the first change of a domain is read at once', async () => {
  await show(['posts', 'list']);
  createStaleDomains(client)('posts');
  expect(reads).toEqual(['posts list']);
});

test('a thousand changes within a second are read once more, after it', async () => {
  await show(['posts', 'list']);
  const markStale = createStaleDomains(client);
  for (let n = 0; n < 1000; n++) markStale('posts');
  await vi.advanceTimersByTimeAsync(999);
  expect(reads).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reads).toHaveLength(2);
});

test('a shown post is read with each of its changes, and the others once a second', async () => {
  await show(['posts', 'one', 'post_1']);
  await show(['posts', 'one', 'post_2']);
  const markStale = createStaleDomains(client);
  markStale('posts', 'post_2');
  await vi.advanceTimersByTimeAsync(0);
  reads.length = 0;
  markStale('posts', 'post_1');
  expect(reads).toEqual(['posts one post_1']);
});

test('one domain does not wait for another', async () => {
  await show(['posts', 'list']);
  await show(['labels']);
  const markStale = createStaleDomains(client);
  markStale('posts');
  markStale('labels');
  expect(reads).toEqual(['posts list', 'labels']);
});

test('an answer that never comes does not keep later changes out of sight', async () => {
  let answer: () => Promise<string> = async () => 'answer';
  await show(['posts', 'list'], () => answer());
  answer = () => new Promise(() => undefined);
  const markStale = createStaleDomains(client);
  markStale('posts');
  markStale('posts');
  await vi.advanceTimersByTimeAsync(11_000);
  expect(reads).toHaveLength(2);
});
