import { z } from 'zod';
import type { AccessNews, LiveEvent } from './news.ts';

/** Ids and kinds become lines of a stream of events. A newer release may send a kind that this one does not know. */
const word = z.string().regex(/^[\w-]{1,100}$/);

const Event = z.object({
  eventId: word,
  workspaceId: z.string(),
  kind: word,
  id: z.string(),
  text: z.string().optional(),
});
const Access = z.object({ accessOf: z.string() });

/** Any role of the database may send a notice; undefined for one that is not ours. */
export const readNotice = (text: string): LiveEvent | AccessNews | undefined => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return Access.safeParse(value).data ?? (Event.safeParse(value).data as LiveEvent | undefined);
};
