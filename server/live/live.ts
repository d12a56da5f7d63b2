import type { LiveStore } from './store.ts';

/** What open tabs are told: that something changed, not what. They read it themselves, with their own rights. */
export interface LiveEvent {
  readonly workspaceId: string;
  readonly kind: 'approval' | 'post' | 'webhook' | 'resync';
  readonly id?: string;
  /** For the toast. */
  readonly text?: string;
}

type Hearer = (event: LiveEvent) => void;

export type Live = ReturnType<typeof createLive>;

/** News for open tabs, across all instances. */
export const createLive = ({ store }: { store: LiveStore }) => {
  const hearers = new Map<string, Set<Hearer>>();
  const pass = (event: LiveEvent) => {
    for (const hear of hearers.get(event.workspaceId) ?? []) hear(event);
  };

  return {
    tell: async (...events: LiveEvent[]) => {
      if (events.length > 0) await store.say(events.map((event) => JSON.stringify(event)));
    },

    /** Answers with how to stop hearing. */
    hear: (workspaceId: string, hear: Hearer) => {
      const others = hearers.get(workspaceId) ?? new Set();
      hearers.set(workspaceId, others.add(hear));
      return () => {
        others.delete(hear);
        if (others.size === 0) hearers.delete(workspaceId);
      };
    },

    /** Until the database is closed. */
    start: () =>
      store.listen({
        heard: (text) => pass(JSON.parse(text) as LiveEvent),
        resumed: () => {
          for (const workspaceId of hearers.keys()) pass({ workspaceId, kind: 'resync' });
        },
      }),
  };
};
