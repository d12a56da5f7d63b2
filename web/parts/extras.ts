import type { Post } from '#generated/app-client';
import { type Poll, readPoll } from '#server/networks/poll';
import { count } from './number.ts';

/** Options that are visible to readers. */
export interface Extras {
  readonly poll?: Poll;
  readonly quote?: string;
  readonly longText?: string;
  readonly firstComment?: string;
}

/** The options that this network shows to readers. */
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

/** Distinct extras of these accounts, each with its networks. */
export const extrasFor = (versions: Post['versions'], accounts: readonly { id: string; network: string }[]) => {
  const optionsOf = (id: string | undefined) => versions.find(({ accountId }) => accountId === id)?.options ?? {};
  const extrasByKey = new Map<string, Extras & { networks: string[] }>();
  for (const { id, network } of accounts) {
    const extras = extrasOf({ ...optionsOf(undefined), ...optionsOf(id) }, network);
    const key = JSON.stringify(extras);
    if (key === '{}') continue;
    const networks = [...new Set([...(extrasByKey.get(key)?.networks ?? []), network])];
    extrasByKey.set(key, { ...extras, networks });
  }
  return [...extrasByKey.values()];
};

/** `30 minutes`, `1 day` */
export const formatDuration = (minutes: number): string => {
  if (minutes % 1_440 === 0) return count(minutes / 1_440, 'day');
  return minutes % 60 === 0 ? count(minutes / 60, 'hour') : count(minutes, 'minute');
};
