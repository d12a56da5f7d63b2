import type { QueryClient } from '@tanstack/react-query';
import type { Session } from '#generated/app-client';
import { keys } from '#web/base/queries.ts';
import { applyEvent, eventKinds, type LiveEvent } from './apply-event.ts';
import { createStaleDomains } from './stale-domains.ts';

/** `ended`: the person signed out, or another workspace is open. */
const kinds = [...eventKinds, 'resync', 'ended'];

const firstWaitMs = 1000;
const longestWaitMs = 30_000;
/** A stream that lasted this long works; one that breaks earlier must not reset the backoff. */
const steadyMs = 10_000;
/** After sleep the connection is dead, and no event reports that. */
const sleptMs = 90_000;
const sleepCheckMs = 30_000;

/**
 * One event stream for all tabs of a workspace: the tab that holds the lock reads it and broadcasts to the others. When
 * it closes, another one takes over. Returns a function that stops it.
 */
export const startLive = (workspaceId: string, client: QueryClient) => {
  const name = `posthorn live ${workspaceId}`;
  const channel = new BroadcastChannel(name);
  // Resume from the session read, so that no event before the stream opens is missed.
  let lastId = client.getQueryData<Session>(keys.session)?.liveFrom;
  const handle = (event: LiveEvent) => {
    lastId = event.eventId || lastId;
    applyEvent(client, event, effects);
  };
  const effects = {
    markStale: createStaleDomains(client),
    dismissEverywhere: (toastId: string) => channel.postMessage({ kind: 'dismissed', id: toastId }),
  };
  channel.onmessage = ({ data }: MessageEvent<LiveEvent>) => handle(data);
  const controller = new AbortController();
  const requestedAt = performance.now();
  const lead = () =>
    readStream(
      () => `/api/app/events?${new URLSearchParams({ workspace: workspaceId, ...(lastId && { last: lastId }) })}`,
      (event) => {
        channel.postMessage(event);
        handle(event);
      },
      controller.signal,
      // A tab that had to wait for the lock takes over from a closed tab and may have missed events in between.
      performance.now() - requestedAt > 1000,
    );
  // Without https there is no navigator.locks, so each tab reads its own stream.
  if (navigator.locks === undefined) void lead();
  else navigator.locks.request(name, { signal: controller.signal }, lead).catch(() => undefined);
  return () => {
    controller.abort();
    channel.close();
  };
};

/** Reads until `signal` aborts. Emits `resync` after every gap, since events may have been missed. */
const readStream = (url: () => string, emit: (event: LiveEvent) => void, signal: AbortSignal, takesOver: boolean) =>
  new Promise<void>((resolve) => {
    let source: EventSource | undefined;
    let retry: ReturnType<typeof setTimeout> | undefined;
    let waitMs = firstWaitMs;
    let hadGap = takesOver;
    let steady: ReturnType<typeof setTimeout> | undefined;

    const open = () => {
      clearTimeout(retry);
      source?.close();
      source = new EventSource(url());
      source.onopen = () => {
        steady = setTimeout(() => {
          waitMs = firstWaitMs;
        }, steadyMs);
        if (hadGap) emit({ kind: 'resync' });
        hadGap = false;
      };
      source.onerror = () => {
        hadGap = true;
        reopen();
      };
      // The server sends the start position here, in case the browser goes offline before the first event.
      source.onmessage = ({ lastEventId }) => emit({ kind: 'here', eventId: lastEventId });
      for (const kind of kinds) {
        source.addEventListener(kind, ({ data, lastEventId }: MessageEvent<string>) => {
          emit({ ...parseEvent(data), eventId: lastEventId, kind });
          if (kind !== 'ended') return;
          waitMs = longestWaitMs;
          reopen();
        });
      }
    };
    /** EventSource itself reconnects after a fixed delay, so after an outage all clients would reconnect at once. */
    const reopen = () => {
      source?.close();
      clearTimeout(steady);
      clearTimeout(retry);
      retry = setTimeout(open, waitMs * (0.5 + Math.random() / 2));
      waitMs = Math.min(waitMs * 2, longestWaitMs);
    };
    const reconnect = () => {
      hadGap = true;
      open();
    };
    let checkedAt = performance.now();
    const sleepCheck = setInterval(() => {
      const passedMs = performance.now() - checkedAt;
      checkedAt = performance.now();
      if (passedMs > sleptMs) reconnect();
    }, sleepCheckMs);
    window.addEventListener('online', reconnect);
    signal.addEventListener('abort', () => {
      clearTimeout(retry);
      clearTimeout(steady);
      clearInterval(sleepCheck);
      window.removeEventListener('online', reconnect);
      source?.close();
      resolve();
    });
    open();
  });

const parseEvent = (data: string): Partial<LiveEvent> => {
  try {
    return JSON.parse(data) as Partial<LiveEvent>;
  } catch {
    return {};
  }
};
