import type { QueryClient } from '@tanstack/react-query';

const restMs = 1000;
/** A hanging answer must not keep later changes out of sight. */
const longestMs = 10_000;

/**
 * Refetches what is shown of a domain: at once, and while more changes arrive at most once a second after the former
 * answers. In a storm of sends each open tab would otherwise read all its lists once per send. What is shown of the
 * changed thing itself never waits: a post would otherwise seem to be out before it began to go out.
 */
export const createStaleDomains = (client: QueryClient) => {
  const resting = new Set<string>();
  const staleAgain = new Set<string>();
  const refetch = async (domain: string) => {
    resting.add(domain);
    await Promise.race([client.invalidateQueries({ queryKey: [domain] }), wait(longestMs)]);
    await wait(restMs);
    resting.delete(domain);
    if (staleAgain.delete(domain)) void refetch(domain);
  };
  return (domain: string, id?: string) => {
    if (!resting.has(domain)) return void refetch(domain);
    staleAgain.add(domain);
    if (id !== undefined) {
      void client.invalidateQueries({ queryKey: [domain], predicate: ({ queryKey }) => queryKey.includes(id) });
    }
  };
};

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
