import type { Version } from '#contracts/posts';
import { shorten } from '#server/base/shorten';

interface Content {
  readonly accountIds: readonly string[];
  readonly versions: readonly Version[];
  readonly scheduledAt?: string | undefined;
}

/** A model needs to see what was changed, not a whole long text twice. */
const maxCharacters = 600;

/** What a person changed, a line for each item, file list, option and time. Texts are quoted. */
export const describeEdit = (before: Content, after: Content): string[] => {
  const accountIds = [...new Set([...before.versions, ...after.versions].map(({ accountId }) => accountId))];
  const removed = before.accountIds.filter((id) => !after.accountIds.includes(id));
  const remainingIds = accountIds.filter((id) => id === undefined || after.accountIds.includes(id));
  const time =
    after.scheduledAt === before.scheduledAt
      ? []
      : [`time: ${before.scheduledAt ?? 'none'} became ${after.scheduledAt}`];
  return [
    ...remainingIds.flatMap((id) => describeVersion(id, versionOf(before, id), versionOf(after, id))),
    ...(removed.length > 0 ? [`accounts: ${removed.join(', ')} left out`] : []),
    ...time,
  ];
};

export const describeAlt = ({ mediaId, before, alt }: { mediaId: string; before: string; alt: string }) =>
  `alternative text of ${mediaId}: ${quote(before)} became ${quote(alt)}`;

const describeVersion = (accountId: string | undefined, before: Version | undefined, after: Version | undefined) => {
  const whose = accountId === undefined ? 'original version' : `version of ${accountId}`;
  if (after === undefined) return [`${whose}: removed, so the account gets the original version`];
  const items = Math.max(before?.content.length ?? 0, after.content.length);
  const lines: string[] = [];
  for (let index = 0; index < items; index++) {
    const [was, is] = [before?.content[index], after.content[index]];
    const item = `${whose}, item ${index + 1}`;
    if (is === undefined) lines.push(`${item}: removed`);
    else {
      if ((was?.body ?? '') !== is.body) lines.push(`${item}: ${describeText(was?.body ?? '', is.body)}`);
      const [files, filesBefore] = [is.media.join(' '), (was?.media ?? []).join(' ')];
      if (files !== filesBefore) lines.push(`${item}: media ${filesBefore || 'none'} became ${files || 'none'}`);
    }
  }
  const [set, wasSet] = [after.options, before?.options ?? {}];
  for (const key of new Set([...Object.keys(set), ...Object.keys(wasSet)])) {
    if (set[key] !== wasSet[key])
      lines.push(`${whose}, option ${key}: ${quote(wasSet[key] ?? '')} became ${quote(set[key] ?? '')}`);
  }
  return lines;
};

/** The words between the beginning and the end that both texts share. */
const describeText = (before: string, after: string) => {
  const [was, is] = [before.split(/(?<=\s)/), after.split(/(?<=\s)/)];
  let start = 0;
  while (start < was.length && start < is.length && was[start] === is[start]) start++;
  let end = 0;
  while (end < was.length - start && end < is.length - start && was.at(-1 - end) === is.at(-1 - end)) end++;
  const changed = (words: readonly string[]) =>
    words
      .slice(start, words.length - end)
      .join('')
      .trim();
  return `${quote(changed(was))} became ${quote(changed(is))}`;
};

const quote = (text: string) => JSON.stringify(shorten(text, maxCharacters));

/** An account without a version of its own gets the original. */
const versionOf = ({ versions }: Content, accountId: string | undefined) =>
  versions.find((version) => version.accountId === accountId);
