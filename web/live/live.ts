import type { QueryClient } from '@tanstack/react-query';
import type { Session } from '#generated/app-client';
import { keys } from '#web/queries.ts';
import { applyNews, knownKinds, type News } from './apply-news.ts';

/** `ended`: the session is over, or another workspace is open now. */
const kinds = [...knownKinds, 'resync', 'ended'];

const firstWaitMs = 1000;
const longestWaitMs = 30_000;
/** A machine that slept has a dead connection that nobody reports. */
const sleptMs = 90_000;
const lookMs = 30_000;

/**
 * One event stream for all tabs of a workspace: the tab that holds the lock reads it and tells the others. When it
 * closes, the next one takes over. Answers with how to stop.
 */
export const startLive = (workspaceId: string, client: QueryClient) => {
  const name = `posthorn live ${workspaceId}`;
  const channel = new BroadcastChannel(name);
  // What changed since the session was read, before the stream is open, is told too.
  let lastId = client.getQueryData<Session>(keys.session)?.liveFrom;
  const hear = (news: News) => {
    lastId = news.eventId || lastId;
    applyNews(client, news, dismissEverywhere);
  };
  const dismissEverywhere = (toastId: string) => channel.postMessage({ kind: 'dismissed', id: toastId });
  channel.onmessage = ({ data }: MessageEvent<News>) => hear(data);
  const stopped = new AbortController();
  const askedAt = performance.now();
  const lead = () =>
    readStream(
      () => `/api/app/events?${new URLSearchParams({ workspace: workspaceId, ...(lastId && { last: lastId }) })}`,
      (news) => {
        channel.postMessage(news);
        hear(news);
      },
      stopped.signal,
      // Who waited for the lock takes over from a tab that closed; between the two nobody was reading.
      performance.now() - askedAt > 1000,
    );
  // Pages without https have no locks; there each tab reads for itself.
  if (navigator.locks === undefined) void lead();
  else navigator.locks.request(name, { signal: stopped.signal }, lead).catch(() => undefined);
  return () => {
    stopped.abort();
    channel.close();
  };
};

/** Until `signal` aborts. After every gap a `resync` is told, as events may have been missed. */
const readStream = (url: () => string, tell: (news: News) => void, signal: AbortSignal, takesOver: boolean) =>
  new Promise<void>((resolve) => {
    let source: EventSource | undefined;
    let retry: ReturnType<typeof setTimeout> | undefined;
    let waitMs = firstWaitMs;
    let hadGap = takesOver;

    const open = () => {
      source?.close();
      source = new EventSource(url());
      source.onopen = () => {
        waitMs = firstWaitMs;
        if (hadGap) tell({ kind: 'resync' });
        hadGap = false;
      };
      source.onerror = () => {
        hadGap = true;
        // Closed for good: the browser tries again by itself only when an open connection breaks.
        if (source?.readyState === EventSource.CLOSED) reopen();
      };
      // Where the stream begins, for a browser that goes offline before it has heard anything.
      source.onmessage = ({ lastEventId }) => tell({ kind: 'here', eventId: lastEventId });
      for (const kind of kinds) {
        source.addEventListener(kind, ({ data, lastEventId }: MessageEvent<string>) => {
          tell({ ...parsed(data), eventId: lastEventId, kind });
          if (kind !== 'ended') return;
          source?.close();
          waitMs = longestWaitMs;
          reopen();
        });
      }
    };
    const reopen = () => {
      clearTimeout(retry);
      retry = setTimeout(open, waitMs * (0.5 + Math.random() / 2));
      waitMs = Math.min(waitMs * 2, longestWaitMs);
    };
    const again = () => {
      hadGap = true;
      open();
    };
    let lookedAt = performance.now();
    const look = setInterval(() => {
      const passedMs = performance.now() - lookedAt;
      lookedAt = performance.now();
      if (passedMs > sleptMs) again();
    }, lookMs);
    window.addEventListener('online', again);
    signal.addEventListener('abort', () => {
      clearTimeout(retry);
      clearInterval(look);
      window.removeEventListener('online', again);
      source?.close();
      resolve();
    });
    open();
  });

const parsed = (data: string): Partial<News> => {
  try {
    return JSON.parse(data) as Partial<News>;
  } catch {
    return {};
  }
};
