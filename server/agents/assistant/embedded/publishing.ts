import type { Post } from '#contracts/posts';
import { momentIn } from './moment.ts';
import { resolvePost, type Talk, Unclear, type UserRequest, use } from './talk.ts';
import { moment } from './words.ts';

const schedules = /\bschedule\b|\bplan (it|this)\b/i;
const moves = /\b(move|reschedule|postpone|shift)\b/i;
const publishes = /\bpublish\b|\b(post|send) (it|this)( out)?( now)?\b|\bgo live\b/i;

export const isSchedule = (text: string) => schedules.test(text);
export const isMove = (text: string) => moves.test(text);
export const isPublish = (text: string) => publishes.test(text);

/**
 * Scheduling, publishing and deleting need approval, so `use` throws PendingApproval and the sentence after it is not
 * said.
 */
export function* schedule(request: UserRequest): Talk {
  if (isNextSlot(request.text)) return yield* scheduleFor(yield* resolvePost(request), undefined, request);
  const time = mustNameTime(request);
  return yield* scheduleFor(yield* resolvePost(request), time, request);
}

const isNextSlot = (text: string) => /\b(next|free) (free )?slot\b/i.test(text);

function* nextSlot(postId: string): Talk<{ at: string }> {
  const { at } = yield* use<{ at?: string }>('slots.next', { postId });
  if (at === undefined) throw new Unclear('No slot is free. Slots are made under Workspace, on the page Slots.');
  return { at };
}

const mustNameTime = ({ text, now, timeZone }: UserRequest) => {
  const time = momentIn(text, now, timeZone);
  if (time === undefined) throw new Unclear('At what time? Say it like this: schedule it for Saturday at 9:00.');
  return time;
};

/** Without a time, uses the next free slot. */
function* scheduleFor(id: string, time: ReturnType<typeof mustNameTime> | undefined, { timeZone }: UserRequest): Talk {
  const { at, skipped } = time ?? { ...(yield* nextSlot(id)), skipped: undefined };
  yield* use('posts.schedule', { id, at });
  const moved = skipped === undefined ? '' : ` There is no ${skipped} on that day, as the clocks change.`;
  return `It is scheduled for ${moment(at, timeZone)}.${moved}`;
}

/** A scheduled post is moved by changing it, which a person approves. */
export function* move(request: UserRequest): Talk {
  const time = isNextSlot(request.text) ? undefined : mustNameTime(request);
  const id = yield* resolvePost(request);
  const { status, accountIds, versions, updatedAt } = yield* use<Post>('posts.get', { id });
  if (status === 'Published' || status === 'Publishing') return 'That post has gone out, so it cannot be moved.';
  if (status !== 'Scheduled') return yield* scheduleFor(id, time, request);
  const { at } = time ?? (yield* nextSlot(id));
  yield* use('posts.update', { id, accountIds, versions, scheduledAt: at, baseUpdatedAt: updatedAt });
  return `It is moved to ${moment(at, request.timeZone)}.`;
}

export function* publish(request: UserRequest): Talk {
  yield* use('posts.publishNow', { id: yield* resolvePost(request) });
  return 'It is on its way.';
}

export function* remove(request: UserRequest): Talk {
  yield* use('posts.delete', { id: yield* resolvePost(request) });
  return 'It is deleted.';
}

/** The second half of a request for a draft: `… and schedule it for tomorrow at 9`. Undefined if there is none. */
export function* publishAsRequested(request: UserRequest, id: string): Talk<string | undefined> {
  if (isSchedule(request.text)) {
    return yield* scheduleFor(id, isNextSlot(request.text) ? undefined : mustNameTime(request), request);
  }
  if (!isPublish(request.text)) return undefined;
  yield* use('posts.publishNow', { id });
  return 'It is on its way.';
}

/** The app shows the card below this sentence. */
export const describePending = (action: string) => {
  const words: Record<string, string> = {
    'posts.schedule': 'Scheduling makes it public at that time, so that is yours to decide:',
    'posts.publishNow': 'Publishing makes it public, so that is yours to decide:',
    'posts.delete': 'Deleting it is yours to decide:',
  };
  return words[action] ?? 'The post is scheduled, so changing it is yours to decide:';
};
