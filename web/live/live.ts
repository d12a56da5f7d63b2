import type { QueryClient } from '@tanstack/react-query';
import type { Session } from '#generated/app-client';
import { keys } from '#web/queries.ts';
import { applyEvent, eventKinds, type LiveEvent } from './apply-event.ts';

/** `ended`: the person signed out, or another workspace is open. */
const kinds = [...eventKinds, 'resync', 'ended'];

const firstWaitMs = 1000;
const longestWaitMs = 30_000;
/** After sleep the connection is dead, and no event reports that. */
const sleptMs = 90_000;
const lookMs = 30_000;

/**
 * One event stream for all tabs of a workspace: the tab that holds the lock reads it and broadcasts to the others. When
 * it closes, another one takes over. Returns a function that stops it.
 */
export const startLive = (workspaceId: string, client: QueryClient) => {
  const name = `posthorn live ${workspaceId}`;
  const channel = new BroadcastChannel(name);
  // Resume from the session read, so that no event before the stream opens is missed.
  let lastId = client.getQueryData<Session>(keys.session)?.liveFrom;
  const hear = (news: LiveEvent) => {
    lastId = news.eventId || lastId;
    applyEvent(client, news, dismissEverywhere);
  };
  const dismissEverywhere = (toastId: string) => channel.postMessage({ kind: 'dismissed', id: toastId });
  channel.onmessage = ({ data }: MessageEvent<LiveEvent>) => hear(data);
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
      // A tab that waited for the lock succeeds one that closed; events in between may be lost.
      performance.now() - askedAt > 1000,
    );
  // Without https there is no navigator.locks, so each tab reads its own stream.
  if (navigator.locks === undefined) void lead();
  else navigator.locks.request(name, { signal: stopped.signal }, lead).catch(() => undefined);
  return () => {
    stopped.abort();
    channel.close();
  };
};

/** Reads until `signal` aborts. Emits `resync` after every gap, since events may have been missed. */
const readStream = (url: () => string, tell: (news: LiveEvent) => void, signal: AbortSignal, takesOver: boolean) =>
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
        // EventSource reconnects by itself only after an open connection breaks.
        if (source?.readyState === EventSource.CLOSED) reopen();
      };
      // The start position, for a browser that goes offline before the first event.
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

const parsed = (data: string): Partial<LiveEvent> => {
  try {
    return JSON.parse(data) as Partial<LiveEvent>;
  } catch {
    return {};
  }
};
