import { isDeepStrictEqual } from 'node:util';
import type { Version, VersionInput } from '#contracts/posts';
import { bounds } from '#server/base/bounds';
import { badInput } from '#server/base/errors';

/** The first version is the original; the others each override it for one account. */
export const originalVersion = (body: string): Version => ({ content: [{ body, media: [] }], options: {} });

/** Checks the input of posts.update and converts it to the stored form: original first, no empty values. */
export const toVersions = (input: readonly VersionInput[], accountIds: readonly string[]): Version[] => {
  const seen = new Set<string>();
  for (const [index, { accountId = '' }] of input.entries()) {
    const path = `versions.${index}.accountId`;
    if (seen.has(accountId)) {
      throw badInput({
        path,
        code: 'Repeated',
        message: accountId ? 'has a version already' : 'leaves two versions without an account: one is the original',
      });
    }
    if (accountId && !accountIds.includes(accountId)) {
      throw badInput({ path, code: 'UnknownAccount', message: `names ${accountId}, which is not in accountIds` });
    }
    seen.add(accountId);
  }
  if (!seen.has('')) {
    throw badInput({
      path: 'versions',
      code: 'Required',
      message: 'needs the original version: one without accountId',
    });
  }
  return input
    .map(({ accountId, content, options }) => ({
      ...(accountId && { accountId }),
      content: content.map(({ body, media }) => ({ body, media })),
      options: Object.fromEntries(Object.entries(options).filter(([, value]) => value !== '')),
    }))
    .sort((a, b) => Number('accountId' in a) - Number('accountId' in b));
};

/** Versions for single accounts add up, so the post as a whole is limited too. */
export const mustFit = (versions: readonly Version[]) => {
  let characters = 0;
  let media = 0;
  for (const { content, options } of versions) {
    for (const item of content) {
      characters += item.body.length;
      media += item.media.length;
    }
    for (const value of Object.values(options)) characters += value.length;
  }
  for (const [actual, limit, what] of [
    [characters, bounds.postCharacters, 'characters of text'],
    [media, bounds.mediaPerPost, 'media'],
  ] as const) {
    if (actual > limit) {
      throw badInput({
        path: 'versions',
        code: 'TooBig',
        message: `must have at most ${limit} ${what} in all`,
        limit,
        actual,
      });
    }
  }
};

/** A version that differs from the original only in options has the same content, and follows edits of the original. */
export const withText = (
  versions: readonly Version[],
  { accountId, itemIndex, body, only }: { accountId: string; itemIndex: number; body: string; only: boolean },
): Version[] => {
  const [original] = versions;
  const changed = change(versions, accountId, (version) => {
    if (itemIndex > version.content.length) {
      throw badInput({
        path: 'itemIndex',
        code: 'TooBig',
        message: `must be at most ${version.content.length}, which adds an item`,
        limit: version.content.length,
        actual: itemIndex,
      });
    }
    const content = [...version.content];
    const item = { body, media: content[itemIndex]?.media ?? [] };
    content[itemIndex] = item;
    return { ...version, content: only ? [item] : content };
  });
  if (accountId) return changed;
  const content = changed[0]?.content ?? [];
  return changed.map((version) =>
    isDeepStrictEqual(version.content, original?.content) ? { ...version, content } : version,
  );
};

/** An empty value removes the option. No version is created just to remove something from it. */
export const withOption = (versions: readonly Version[], accountId: string, key: string, value: string): Version[] => {
  if (value === '' && !versions.some((version) => (version.accountId ?? '') === accountId)) return [...versions];
  return change(versions, accountId, (version) => {
    const { [key]: _, ...others } = version.options;
    return { ...version, options: value === '' ? others : { ...others, [key]: value } };
  });
};

/** What one account gets: its own version or the original, and the original's options under its own. */
export const versionFor = (versions: readonly Version[], accountId: string) => {
  const own = versions.findIndex((version) => version.accountId === accountId);
  const index = own >= 0 ? own : 0;
  const { content = [] } = versions[index] ?? {};
  const options = { ...versions[0]?.options, ...versions[index]?.options };
  return { index, content, options };
};

/** Changes the version of an account, which is copied from the original first if there is none. */
const change = (versions: readonly Version[], accountId: string, edit: (version: Version) => Version): Version[] => {
  if (versions.some((version) => (version.accountId ?? '') === accountId)) {
    return versions.map((version) => ((version.accountId ?? '') === accountId ? edit(version) : version));
  }
  const content = versions[0]?.content ?? [];
  return [...versions, edit({ accountId, content, options: {} })];
};
