import type { Model } from './language-model.ts';

type Part = Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never;
type Delta = Extract<Part, { delta: string }>;

/** Short enough for text to appear fluently. */
const flushEveryMs = 20;
const maxDeltaCharacters = 4096;

/**
 * Merges small deltas of one text. The SDK processes the whole text again for every delta, so a long answer in deltas
 * of a few characters would block the event loop for seconds.
 */
export const mergeDeltas = () => {
  let buffered: Delta | undefined;
  let timer: NodeJS.Timeout | undefined;

  const flush = (controller: TransformStreamDefaultController<Part>) => {
    clearTimeout(timer);
    const part = buffered;
    buffered = undefined;
    if (part) controller.enqueue(part);
  };

  return new TransformStream<Part, Part>({
    transform: (part, controller) => {
      if (!('delta' in part)) {
        flush(controller);
        controller.enqueue(part);
      } else if (buffered?.type === part.type && buffered.id === part.id) {
        buffered = { ...buffered, delta: buffered.delta + part.delta };
        if (buffered.delta.length > maxDeltaCharacters) flush(controller);
      } else {
        flush(controller);
        buffered = part;
        timer = setTimeout(() => {
          try {
            flush(controller);
          } catch {
            // The reader has cancelled the stream.
          }
        }, flushEveryMs);
      }
    },
    flush,
  });
};
