import type { Account } from '#generated/app-client';
import { dateIn, formatDateTime, formatDay } from '#web/base/time.ts';
import { count } from '#web/parts/number.ts';
import type { UsedAction } from './chat-messages.ts';

const steps: Record<string, string> = {
  'accounts.list': 'Look at the accounts',
  'accounts.delete': 'Ask to disconnect an account',
  'providers.limits': 'Read the limits of the networks',
  'providers.list': 'Read the list of networks',
  'posts.list': 'Look through posts',
  'posts.get': 'Read the post',
  'posts.create': 'Write a draft',
  'posts.update': 'Change the post',
  'posts.setVersionText': 'Change the text',
  'posts.setOption': 'Change an option',
  'posts.validate': 'Check the post',
  'posts.schedule': 'Ask to schedule',
  'posts.publishNow': 'Ask to publish',
  'posts.delete': 'Ask to delete',
  'posts.metrics': 'Read the numbers of the post',
  'analytics.summary': 'Add up the numbers',
  'media.list': 'Look through media',
  'slots.next': 'Find the next free slot',
  'ui.getContext': 'See which page is open',
};

/** Describes an action to people; its technical name is in the details. */
export const stepOf = (name: string) => steps[name] ?? 'Use another action';

/** Short detail after the name of an action: its range, account or result. */
export const detailOf = (
  { name, state, input, output }: UsedAction,
  zone: string,
  accounts: readonly Account[],
): string | undefined => {
  if (state === 'running') return undefined;
  const text = (field: string) => (typeof input[field] === 'string' ? String(input[field]) : '');
  if (name === 'posts.validate' && state === 'done') return 'fits';
  const { posts, error } = (output ?? {}) as { posts?: unknown[]; error?: { code?: string } };
  if (state === 'failed') return name === 'posts.validate' && error?.code === 'Invalid' ? 'does not fit' : 'refused';
  if (name === 'analytics.summary') return daysOf(text('from'), text('to'), zone);
  if (name === 'posts.schedule') return formatDateTime(text('at'), zone);
  if (name === 'posts.setVersionText') return accounts.find(({ id }) => id === text('accountId'))?.provider;
  return name === 'posts.list' && posts ? count(posts.length, 'post') : undefined;
};

/** `9–15 Nov` */
export const daysOf = (from: string, to: string, zone: string) => {
  if (Number.isNaN(Date.parse(from)) || Number.isNaN(Date.parse(to))) return undefined;
  const last = new Date(Date.parse(to) - 1);
  const day = (at: Date | string) => formatDay(at, zone).replace(/^\w+ /, '');
  if (dateIn(from, zone) === dateIn(last, zone)) return day(last);
  const isSameMonth = dateIn(from, zone).slice(0, 7) === dateIn(last, zone).slice(0, 7);
  return `${isSameMonth ? Number(dateIn(from, zone).slice(8)) : day(from)}–${day(last)}`;
};
