import { z } from 'zod';
import { SendStep } from '#contracts/send-step';
import type { AccessChange, LiveEvent } from './changes.ts';

/**
 * Ids and kinds become lines of an event stream, so no line breaks. A newer release may send kinds unknown to this one.
 */
const word = z.string().regex(/^[\w-]{1,100}$/);

const Event = z.object({
  eventId: word,
  workspaceId: z.string(),
  kind: word,
  id: z.string(),
  text: z.string().optional(),
  steps: z.array(SendStep).optional(),
});
const Access = z.object({ accessOf: z.string() });

/** Any database role may notify the channel; undefined for a payload that is not ours. */
export const parseNotification = (text: string): LiveEvent | AccessChange | undefined => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return Access.safeParse(value).data ?? (Event.safeParse(value).data as LiveEvent | undefined);
};
