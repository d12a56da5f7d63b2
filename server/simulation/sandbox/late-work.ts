import type { Clock } from '#server/base/clock';

/** Work that a sandbox does later, by its own clock. That clock can jump, so every request runs the due work first. */
export const createLateWork = (clock: Clock) => {
  let waiting: { readonly atMs: number; readonly work: () => Promise<unknown> }[] = [];
  const nowMs = () => clock.now().getTime();

  return {
    add: (ms: number, work: () => Promise<unknown>) => {
      waiting.push({ atMs: nowMs() + ms, work });
    },

    catchUp: async () => {
      const due = waiting.filter(({ atMs }) => atMs <= nowMs());
      waiting = waiting.filter((one) => !due.includes(one));
      for (const { work } of due) await work();
    },
  };
};
