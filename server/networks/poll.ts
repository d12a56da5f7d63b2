import type { PollLimits } from '#contracts/providers';
import type { NetworkPost, Problem } from './network.ts';

/** Pure, so that the editor and the previews in the browser use the same code as the server. */
export interface Poll {
  readonly choices: readonly string[];
  readonly durationMinutes: number;
  readonly multiple: boolean;
  readonly hideTotals: boolean;
}

export const pollShape = '{"choices":["A","B"],"durationMinutes":1440,"multiple":false,"hideTotals":false}';

/** Undefined when the text is no poll. While somebody is writing one, choices may be empty. */
export const readPoll = (text: string): Poll | undefined => {
  // Most posts have no poll, and a JSON.parse that throws costs more than all other checks.
  if (text === '') return undefined;
  const { choices, durationMinutes, multiple = false, hideTotals = false, ...others } = fieldsOf(text);
  const isPoll =
    Array.isArray(choices) &&
    choices.every((choice): choice is string => typeof choice === 'string') &&
    Number.isSafeInteger(durationMinutes) &&
    typeof multiple === 'boolean' &&
    typeof hideTotals === 'boolean' &&
    Object.keys(others).length === 0;
  return isPoll ? { choices, durationMinutes: Number(durationMinutes), multiple, hideTotals } : undefined;
};

const fieldsOf = (text: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
};

/** The poll of a post that was checked: its choices without blanks around them. */
export const pollIn = ({ options }: NetworkPost, key: string): Poll | undefined => {
  const poll = readPoll(options[key] ?? '');
  return poll && { ...poll, choices: poll.choices.map((choice) => choice.trim()) };
};

export const pollProblems = (path: string, limits: PollLimits, { choices, ...poll }: Poll): Problem[] => {
  const problems: Problem[] = [];
  const report = (code: Problem['code'], message: string, limit?: number, actual?: number) =>
    problems.push({ path, code, message, ...(limit !== undefined && { limit, actual: actual ?? 0 }) });
  const { minChoices, maxChoices, maxChoiceLength, minDurationMinutes, maxDurationMinutes } = limits;
  const texts = choices.map((choice) => choice.trim());
  if (texts.length < minChoices) {
    report('PollChoices', `A poll needs at least ${minChoices} choices.`, minChoices, texts.length);
  }
  if (texts.length > maxChoices) {
    report('PollChoices', `A poll has at most ${maxChoices} choices here.`, maxChoices, texts.length);
  }
  const empty = texts.indexOf('');
  if (empty >= 0) report('PollChoices', `Choice ${empty + 1} of the poll is empty: write it or remove it.`);
  const longest = Math.max(0, ...texts.map(({ length }) => length));
  if (longest > maxChoiceLength) {
    const message = `A choice of the poll has at most ${maxChoiceLength} characters here: shorten it.`;
    report('PollChoiceTooLong', message, maxChoiceLength, longest);
  }
  const filled = texts.filter((choice) => choice !== '');
  if (new Set(filled).size < filled.length) report('PollChoices', 'Two choices of the poll are the same.');
  if (poll.durationMinutes < minDurationMinutes || poll.durationMinutes > maxDurationMinutes) {
    const isShort = poll.durationMinutes < minDurationMinutes;
    const limit = isShort ? minDurationMinutes : maxDurationMinutes;
    const message =
      minDurationMinutes === maxDurationMinutes
        ? `A poll runs for ${limit} minutes here.`
        : `A poll runs for at ${isShort ? 'least' : 'most'} ${limit} minutes here.`;
    report('PollDuration', message, limit, poll.durationMinutes);
  }
  if (poll.multiple && !limits.multiple) report('OptionNotAllowed', 'A voter has one choice here.');
  if (poll.hideTotals && !limits.hideTotals) report('OptionNotAllowed', 'The numbers of a poll are always shown here.');
  return problems;
};

/** For networks where a post has either a poll or media. */
export const pollWithoutMedia = (post: NetworkPost, key: string): Problem | false =>
  pollIn(post, key) !== undefined &&
  (post.items[0]?.media.length ?? 0) > 0 && {
    path: `options.${key}`,
    code: 'OptionNotAllowed',
    message: 'A poll and media exclude each other: remove one.',
  };
