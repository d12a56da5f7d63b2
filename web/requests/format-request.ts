import type { ApprovalCard } from '#generated/app-client';
import { handleOf } from '#web/base/networks.ts';
import { formatDay, formatTime, inZone, now, partsIn } from '#web/base/time.ts';
import { headingOf } from '#web/parts/heading.ts';

const excerptOf = ({ post }: ApprovalCard) => headingOf(post?.versions[0]?.content[0]?.body ?? '');

/** The request, and a warning about what cannot be undone. Times are in the person's zone. */
export const titleOf = ({ sentence, account }: ApprovalCard, zone: string) => {
  const [title = '', ...more] = inZone(sentence, zone).split('. ');
  const titleWithAccount = account ? title.replace('this account', `${account.provider}, ${handleOf(account)}`) : title;
  return { title: titleWithAccount, warning: more.join('. ') };
};

/** One line with the first words of the post: `Schedule “We are hiring” for Wed 18 Nov, 17:00`. */
export const lineOf = (card: ApprovalCard, zone: string) => {
  const { title } = titleOf(card, zone);
  const words = excerptOf(card);
  if (words === '') return title;
  const titleWithAccount = title.replace(/\bthis (scheduled )?post\b/, `“${words}”`);
  return titleWithAccount === title ? `${title}: “${words}”` : titleWithAccount;
};

/** `13:58`, `Mon`, `9 Nov` */
export const shortTime = (at: string, zone: string) => {
  const [then, today] = [partsIn(at, zone), partsIn(now(), zone)];
  if (then.year === today.year && then.month === today.month && then.day === today.day) return formatTime(at, zone);
  if (now().getTime() - Date.parse(at) < 6 * 24 * 3_600_000) return then.weekday;
  return formatDay(at, zone).replace(/^\w+ /, '');
};

/** `10:04`, `Mon 16:20`, `9 Nov 16:20` */
export const shortMoment = (at: string, zone: string) => {
  const [day, time] = [shortTime(at, zone), formatTime(at, zone)];
  return day === time ? time : `${day} ${time}`;
};

/** In a sentence: `at 10:04`, `Mon 16:20` */
export const formatMoment = (at: string, zone: string) => {
  const moment = shortMoment(at, zone);
  return moment === formatTime(at, zone) ? `at ${moment}` : moment;
};

const numbers = 'no one two three four five six seven eight nine ten eleven twelve'.split(' ');

/** `Fits the account`, `Fits both accounts`, `Fits all five accounts` */
export const fitsLine = (accounts: number) => {
  if (accounts === 1) return 'Fits the account';
  if (accounts === 2) return 'Fits both accounts';
  return `Fits all ${numbers[accounts] ?? accounts} accounts`;
};
