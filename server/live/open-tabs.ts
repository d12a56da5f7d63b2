import { randomUUID } from 'node:crypto';
import { bounds } from '#server/bounds';
import { Refusal } from '#server/errors';
import type { Listening } from '#server/store/listen';
import { type AccessNews, everyWorkspace, type LiveEvent, type News } from './news.ts';
import { readNotice } from './notice.ts';
import type { LiveStore } from './store.ts';

/** Enough for a browser that was away for a moment; one that was away for longer reads everything again. */
const remembered = 2000;
const retryAfterSeconds = 30;

const everybody = '*';

interface Hearer {
  readonly workspaceId: string;
  readonly userId: string;
  /** The last event that this browser has seen. */
  readonly after: string | undefined;
  hear(event: LiveEvent): void;
  /** Ends itself if there is no access any more. */
  lookAgain(): void;
  end(): void;
}

const concerns = (event: LiveEvent, hearer: Hearer) =>
  event.workspaceId === hearer.workspaceId || event.workspaceId === everyWorkspace;

const foreignNotice =
  'A notice on the channel of live events was not understood and is ignored. Only Posthorn should send there: look who else uses this database.';

export type Live = ReturnType<typeof createLive>;

/** News for open tabs, across all instances. */
export const createLive = ({ store, report }: { store: LiveStore; report: (error: unknown) => void }) => {
  const hearers = new Set<Hearer>();
  const accessListeners: (() => void)[] = [];
  let isStopped = false;
  let listening: Listening | undefined;
  // Every instance hears the same news in the order of the commits, so a browser can resume on any of them.
  let recent: LiveEvent[] = [];
  const forget = () => {
    recent = [{ eventId: randomUUID(), workspaceId: '', kind: 'resync' }];
  };
  forget();
  const last = () => recent.at(-1)?.eventId ?? '';

  const pass = (event: LiveEvent) => {
    recent.push(event);
    if (recent.length > 2 * remembered) recent = recent.slice(-remembered);
    for (const hearer of hearers) if (concerns(event, hearer)) hearer.hear(event);
  };

  const resync = (hearer: Hearer) => hearer.hear({ eventId: last(), workspaceId: hearer.workspaceId, kind: 'resync' });

  /** Sends the events since the last one it has seen, or `resync` when that is no longer remembered. */
  const catchUp = (hearer: Hearer) => {
    if (hearer.after === undefined) return;
    const seen = recent.findIndex(({ eventId }) => eventId === hearer.after);
    if (seen < 0) return resync(hearer);
    for (const event of recent.slice(seen + 1)) {
      if (concerns(event, hearer)) hearer.hear(event);
    }
  };

  const heard = (text: string) => {
    const news = readNotice(text);
    if (news === undefined) return report(new Error(foreignNotice));
    if (!('accessOf' in news)) return pass(news);
    for (const listener of accessListeners) listener();
    for (const hearer of [...hearers]) {
      if (news.accessOf === everybody || hearer.userId === news.accessOf) hearer.lookAgain();
    }
  };

  return {
    tell: async (...news: News[]) => {
      if (news.length > 0) await store.say(news.map((one) => JSON.stringify({ eventId: randomUUID(), ...one })));
    },

    /** Signed out, removed, in another workspace now, or without a token. Other instances hear of it with the commit. */
    accessChanged: async (userId: string = everybody) => {
      for (const listener of accessListeners) listener();
      await store.say([JSON.stringify({ accessOf: userId } satisfies AccessNews)]);
    },

    /** Called when anybody's access changes, on whatever instance, or may have changed unheard. */
    onAccessChanged: (listener: () => void) => {
      accessListeners.push(listener);
    },

    /** Whether it would be heard now. */
    isHearing: () => listening?.isListening() ?? false,

    /** The id from which a browser that connects now can resume. */
    last,

    /** How many tabs are open. */
    hearing: () => hearers.size,

    mayHear: (userId: string) => {
      let open = 0;
      for (const hearer of hearers) if (hearer.userId === userId) open += 1;
      if (open < bounds.eventStreams) return;
      const refusal = new Refusal(
        'TooManyRequests',
        `${open} streams of events are open for you. Close browsers or programs that you do not need, then try again.`,
      );
      refusal.retryAfterSeconds = retryAfterSeconds;
      throw refusal;
    },

    /** Answers with how to stop hearing. */
    hear: (hearer: Hearer) => {
      hearers.add(hearer);
      catchUp(hearer);
      if (isStopped) setImmediate(() => hearer.end());
      return () => {
        hearers.delete(hearer);
      };
    },

    /** Until the database is closed. */
    start: () => {
      listening = store.listen({
        heard,
        resumed: () => {
          forget();
          for (const listener of accessListeners) listener();
          for (const hearer of hearers) {
            resync(hearer);
            hearer.lookAgain();
          }
        },
      });
    },

    /** Open tabs then connect to another instance. */
    stop: () => {
      isStopped = true;
      for (const hearer of [...hearers]) hearer.end();
    },
  };
};
