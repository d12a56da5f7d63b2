import type { Model } from './language-model.ts';

type Part = Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never;
type Delta = Extract<Part, { delta: string }>;

/** Often enough for a text that grows before somebody's eyes. */
const passEveryMs = 20;
const longestDelta = 4096;

/**
 * Small pieces of one text become larger ones. The SDK looks at all that came so far with every piece, so that a long
 * answer in pieces of some letters would hold the event loop for seconds.
 */
export const mergeDeltas = () => {
  let held: Delta | undefined;
  let timer: NodeJS.Timeout | undefined;

  const pass = (controller: TransformStreamDefaultController<Part>) => {
    clearTimeout(timer);
    const part = held;
    held = undefined;
    if (part) controller.enqueue(part);
  };

  return new TransformStream<Part, Part>({
    transform: (part, controller) => {
      if (!('delta' in part)) {
        pass(controller);
        controller.enqueue(part);
      } else if (held?.type === part.type && held.id === part.id) {
        held = { ...held, delta: held.delta + part.delta };
        if (held.delta.length > longestDelta) pass(controller);
      } else {
        pass(controller);
        held = part;
        timer = setTimeout(() => {
          try {
            pass(controller);
          } catch {
            // Nobody reads it any more.
          }
        }, passEveryMs);
      }
    },
    flush: pass,
  });
};
