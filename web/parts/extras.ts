import { type Poll, readPoll } from '#server/networks/poll';
import { count } from './number.ts';

/** What options add to a post that readers see. */
export interface Extras {
  readonly poll?: Poll;
  readonly quote?: string;
  readonly longText?: string;
  readonly firstComment?: string;
}

/** Of the options of a version, those that this network shows to readers. */
export const extrasOf = (options: Readonly<Record<string, string>>, network: string): Extras => {
  const value = (name: string) => options[`${network}.${name}`]?.trim() ?? '';
  const poll = readPoll(value('poll'));
  return {
    ...(poll && { poll }),
    ...(value('quote') && { quote: value('quote') }),
    ...(value('text_attachment') && { longText: value('text_attachment') }),
    ...(value('first_comment') && { firstComment: value('first_comment') }),
  };
};

/** `30 minutes`, `1 day` */
export const durationWords = (minutes: number): string => {
  if (minutes % 1_440 === 0) return count(minutes / 1_440, 'day');
  return minutes % 60 === 0 ? count(minutes / 60, 'hour') : count(minutes, 'minute');
};
