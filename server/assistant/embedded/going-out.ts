import { momentIn } from './moment.ts';
import { type Asked, postMeant, type Talk, Unclear, use } from './talk.ts';
import { moment } from './words.ts';

const schedules = /\bschedule\b|\bplan (it|this)\b/i;
const publishes = /\bpublish\b|\b(post|send) (it|this)( out)?( now)?\b|\bgo live\b/i;

export const isSchedule = (text: string) => schedules.test(text);
export const isPublish = (text: string) => publishes.test(text);

/** All of these end as a card: the call that asks for one never comes back with a result. */
export function* schedule(asked: Asked): Talk {
  if (isNextSlot(asked.text)) return yield* scheduleFor(yield* postMeant(asked), undefined, asked);
  const time = mustNameTime(asked);
  return yield* scheduleFor(yield* postMeant(asked), time, asked);
}

const isNextSlot = (text: string) => /\b(next|free) (free )?slot\b/i.test(text);

function* nextSlot(postId: string): Talk<{ at: string }> {
  const { at } = yield* use<{ at?: string }>('slots.next', { postId });
  if (at === undefined) throw new Unclear('No slot is free. Slots are made under Workspace, on the page Slots.');
  return { at };
}

const mustNameTime = ({ text, now, timeZone }: Asked) => {
  const found = momentIn(text, now, timeZone);
  if (found === undefined) throw new Unclear('At what time? Say it like this: schedule it for Saturday at 9:00.');
  return found;
};

/** Without a time: the next free slot. */
function* scheduleFor(id: string, time: ReturnType<typeof mustNameTime> | undefined, { timeZone }: Asked): Talk {
  const { at, skipped } = time ?? { ...(yield* nextSlot(id)), skipped: undefined };
  yield* use('posts.schedule', { id, at });
  const moved = skipped === undefined ? '' : ` There is no ${skipped} on that day, as the clocks change.`;
  return `It is scheduled for ${moment(at, timeZone)}.${moved}`;
}

export function* publish(asked: Asked): Talk {
  yield* use('posts.publishNow', { id: yield* postMeant(asked) });
  return 'It is on its way.';
}

export function* remove(asked: Asked): Talk {
  yield* use('posts.delete', { id: yield* postMeant(asked) });
  return 'It is deleted.';
}

/** What a sentence asks for after a draft: `… and schedule it for tomorrow at 9`. Undefined when it asks for nothing. */
export function* askFor(asked: Asked, id: string): Talk<string | undefined> {
  if (isSchedule(asked.text)) {
    return yield* scheduleFor(id, isNextSlot(asked.text) ? undefined : mustNameTime(asked), asked);
  }
  if (!isPublish(asked.text)) return undefined;
  yield* use('posts.publishNow', { id });
  return 'It is on its way.';
}

/** Below it the card is shown. */
export const waitingInWords = (action: string) => {
  const words: Record<string, string> = {
    'posts.schedule': 'Scheduling makes it public at that time, so that is yours to decide:',
    'posts.publishNow': 'Publishing makes it public, so that is yours to decide:',
    'posts.delete': 'Deleting it is yours to decide:',
  };
  return words[action] ?? 'The post is scheduled, so changing it is yours to decide:';
};
