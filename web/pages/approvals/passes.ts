import { dayMs } from '#contracts/time';
import type { ApprovalCard } from '#generated/app-client';
import { count } from '#web/parts/number.ts';
import { isDestructive } from '#web/requests/card-state.ts';

const passMs = 10 * 60_000;
/** The most requests that one check accepts. */
const maxCards = 50;

/**
 * Requests that came within ten minutes of each other are decided in one pass. Deletions, outdated requests and those
 * in `alone` become separate cards.
 */
export const passesOf = (cards: readonly ApprovalCard[], alone: ReadonlySet<string> = new Set()): ApprovalCard[][] => {
  const passes: ApprovalCard[][] = [];
  let open: ApprovalCard[] | undefined;
  for (const card of cards) {
    if (card.status !== 'Open' || isDestructive(card) || alone.has(card.id)) {
      passes.push([card]);
      continue;
    }
    const last = open?.at(-1);
    const isNear = last && Date.parse(card.createdAt) - Date.parse(last.createdAt) <= passMs;
    if (open && isNear && open.length < maxCards) open.push(card);
    else {
      open = [card];
      passes.push(open);
    }
  }
  return passes;
};

/** How many requests came together with these, including those already decided. */
export const passSize = (cards: readonly ApprovalCard[], decided: readonly ApprovalCard[]) => {
  const others = decided.filter((card) => ['Approved', 'Rejected'].includes(card.status) && !isDestructive(card));
  const times = [...cards, ...others].map(({ createdAt }) => Date.parse(createdAt)).sort((a, b) => a - b);
  const own = times.indexOf(Date.parse(cards[0]?.createdAt ?? ''));
  const isGap = (at: number) => (times[at] ?? 0) - (times[at - 1] ?? 0) > passMs;
  let [start, end] = [own, own + 1];
  while (start > 0 && !isGap(start)) start--;
  while (end < times.length && !isGap(end)) end++;
  return Math.max(end - start, cards.length);
};

/** `A week of posts, 8 requests` where they are spread over one; `A week of posts, 6 of 8 open` after two decisions. */
export const passTitle = (cards: readonly ApprovalCard[], size: number) => {
  const times = cards.flatMap(({ action, input }) =>
    action === 'posts.schedule' && typeof input.at === 'string' ? [Date.parse(input.at)] : [],
  );
  const days = (Math.max(...times) - Math.min(...times)) / dayMs;
  const isWeek = times.length === cards.length && days > 3 && days < 8;
  const left = cards.length < size ? `${cards.length} of ${size} open` : count(cards.length, 'request');
  return isWeek ? `A week of posts, ${left}` : left;
};
