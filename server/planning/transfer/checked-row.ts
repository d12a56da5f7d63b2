import { z } from 'zod';
import { textBounds } from '#contracts/bounds';
import type { Issue } from '#contracts/errors';
import { isUrl } from '#contracts/is-url';
import { LabelName } from '#contracts/labels';
import { AltText } from '#contracts/media';
import type { ImportProblem, ImportRowState } from '#contracts/transfer';
import { bounds } from '#server/base/bounds';
import { Refusal } from '#server/base/errors';
import { sha256 } from '#server/base/sha256';
import type { ConnectedNetwork } from '#server/connecting/accounts/accounts';
import type { Drafts } from '#server/writing/posts/drafts';
import type { Readiness } from '#server/writing/posts/readiness';
import { block, type Entry, type EntryVersion, note, problem } from './entry.ts';
import type { Match } from './matching.ts';
import { isZone, readTime } from './wall-time.ts';

/** The draft that a row becomes when it is saved. Its files are still addresses. */
export interface ImportedDraft {
  readonly accountIds: string[];
  readonly versions: (Omit<EntryVersion, 'account'> & { readonly accountId?: string })[];
  readonly scheduledAt: string | null;
  /** Absent in rows of an earlier build. */
  readonly labels?: readonly string[];
}

export interface CheckedRow {
  readonly line: number | null;
  readonly fingerprint: Buffer;
  readonly state: Exclude<ImportRowState, 'Saved' | 'Scheduled' | 'Duplicate'>;
  readonly problems: ImportProblem[];
  readonly draft: ImportedDraft | null;
  readonly text: string;
  readonly items: number;
  readonly media: number;
}

const excerptLength = 200;
const maxProblems = 20;

/** The outer limits of an entry, checked before the rules of posts. */
const Item = z.object({
  body: z.string().max(bounds.itemCharacters),
  media: z.array(z.object({ url: z.string().max(2048), alt: AltText.optional() })).max(bounds.mediaPerItem),
});
const Content = z
  .array(
    z.object({
      content: z.array(Item).max(bounds.items),
      options: z.record(z.string().max(bounds.idCharacters), z.string().max(bounds.optionCharacters)),
    }),
  )
  .max(1 + bounds.accounts);

/** Checks one entry after the other, without reading or writing the database. */
export const createRowCheck = ({
  match,
  networkOf,
  drafts,
  findBlocking,
  timeZone,
  defaultAccountIds,
  baseUrl,
  now,
}: {
  match: (name: string) => Match;
  networkOf: ReadonlyMap<string, ConnectedNetwork>;
  drafts: Pick<Drafts, 'check'>;
  /** The check of posts.schedule, for a draft whose files are not fetched yet. */
  findBlocking: Readiness['findBlocking'];
  timeZone: string;
  /** For entries that name no account. */
  defaultAccountIds: readonly string[];
  baseUrl: string;
  now: string;
}) => {
  const timeOf = ({ time, zone }: Entry, problems: ImportProblem[]): string | null => {
    if (time === '') return null;
    if (zone !== '' && !isZone(zone)) {
      problems.push(problem('time zone', 'BadZone', `names no time zone (${zone.slice(0, 100)})`));
      return null;
    }
    const result = readTime(time, zone || timeZone);
    if (!('at' in result)) {
      problems.push(problem('time', result.code, result.message));
      return null;
    }
    if (result.at <= now) problems.push(block('time', 'PastTime', 'has passed; choose another before you schedule it'));
    return result.at;
  };

  const accountsOf = ({ accounts }: Entry, problems: ImportProblem[]) => {
    if (accounts.length === 0) return { accountIds: [...defaultAccountIds], isUnmatched: false };
    if (accounts.length > bounds.accounts) {
      problems.push(problem('accounts', 'TooBig', `names more than ${bounds.accounts} accounts`));
      return { accountIds: [], isUnmatched: false };
    }
    const matches = accounts.map(match);
    const mismatches = matches.flatMap((one) => ('message' in one ? [one.message] : []));
    problems.push(...mismatches.map((message) => note('accounts', 'UnknownAccount', message)));
    const ids = matches.flatMap((one) => ('accountId' in one ? [one.accountId] : []));
    return { accountIds: [...new Set(ids)], isUnmatched: mismatches.length > 0 };
  };

  /** The version of an account that is not connected is left out together with the account. */
  const versionsOf = ({ versions, accounts }: Entry, problems: ImportProblem[]) =>
    versions.flatMap(({ account, content, options }): ImportedDraft['versions'] => {
      if (account === undefined) return [{ content, options }];
      const result = match(account);
      if ('accountId' in result) return [{ accountId: result.accountId, content, options }];
      if (!accounts.includes(account)) problems.push(problem('versions', 'UnknownAccount', result.message));
      return [];
    });

  const labelsOf = ({ labels = [] }: Entry, problems: ImportProblem[]) => {
    if (labels.length > bounds.labelsPerPost) {
      problems.push(problem('labels', 'TooBig', `names more than ${bounds.labelsPerPost} labels`));
    }
    const long = labels.find((name) => !LabelName.safeParse(name).success);
    if (long !== undefined) {
      const message = `must be names of at most ${textBounds.labelCharacters} characters, not ${long.slice(0, 60)}`;
      problems.push(problem('labels', 'BadFormat', message));
    }
    return labels;
  };

  return async (entry: Entry): Promise<CheckedRow> => {
    const problems = [...entry.problems];
    const scheduledAt = timeOf(entry, problems);
    const { accountIds, isUnmatched } = accountsOf(entry, problems);
    const labels = labelsOf(entry, problems);
    const isReadable = checkContent(entry, problems, baseUrl);
    const versions = isReadable ? versionsOf(entry, problems) : [];
    if (isReadable) {
      const input = versions.map(({ content, ...version }) => ({
        ...version,
        options: { ...version.options },
        content: content.map(({ body, media }) => ({ body, media: media.map(({ url }) => url) })),
      }));
      problems.push(...refusals(() => drafts.check({ accountIds, versions: input }, networkOf)));
      if (!problems.some(({ stops }) => stops) && accountIds.length > 0) {
        problems.push(...(await findBlocking({ accountIds, versions: input }, networkOf)).map(toBlock));
      }
    }
    const isBad = problems.some(({ stops }) => stops);
    const [original] = entry.versions;
    return {
      line: entry.line ?? null,
      fingerprint: fingerprintOf(entry, scheduledAt, defaultAccountIds),
      state: isBad ? 'Bad' : isUnmatched ? 'Unmatched' : 'Ready',
      problems: problems.slice(0, maxProblems),
      draft: isBad ? null : { accountIds, versions, scheduledAt, labels },
      text: (original?.content[0]?.body ?? '').replaceAll('\0', '').slice(0, excerptLength).toWellFormed(),
      items: original?.content.length ?? 0,
      media: entry.versions.reduce((sum, version) => sum + mediaOf(version).length, 0),
    };
  };
};

const mediaOf = ({ content }: Pick<EntryVersion, 'content'>) => content.flatMap(({ media }) => media);

/** Returns whether the entry can be checked further. */
const checkContent = ({ versions, problems: before }: Entry, problems: ImportProblem[], baseUrl: string) => {
  if (before.length > 0 || versions.length === 0) return false;
  const issues = Content.safeParse(versions).error?.issues ?? [];
  for (const { path, code } of issues.slice(0, maxProblems)) {
    const what = path.includes('alt')
      ? 'alt'
      : path.includes('media')
        ? 'media'
        : path.includes('options')
          ? 'options'
          : 'text';
    problems.push(
      problem(columnOf(path, what), 'TooBig', code === 'too_big' ? 'is longer than is allowed' : 'is not valid'),
    );
  }
  if (issues.length > 0) return false;
  const texts = versions.flatMap(({ content, options }) => [
    ...content.flatMap(({ body, media }) => [body, ...media.flatMap(({ url, alt = '' }) => [url, alt])]),
    ...Object.entries(options).flat(),
  ]);
  if (texts.some((text) => !text.isWellFormed() || text.includes('\0'))) {
    problems.push(problem('text', 'BadText', 'holds a character that cannot be kept: NUL or half of a surrogate pair'));
  }
  const [original] = versions;
  if (original?.content.every(({ body, media }) => body.trim() === '' && media.length === 0)) {
    problems.push(problem('text', 'Empty', 'is empty, and there is no media'));
  }
  const wrongUrl = versions.flatMap(mediaOf).find(({ url }) => !isFetchable(url, baseUrl));
  if (wrongUrl) {
    problems.push(
      problem('media', 'BadUrl', `must be addresses that begin with https://, not ${wrongUrl.url.slice(0, 100)}`),
    );
  }
  return true;
};

const columnOf = ([version, part, index]: PropertyKey[], what: string) => {
  if (version !== 0) return 'versions';
  return part === 'content' && index !== 0 ? 'thread' : what;
};

/** A file of this installation is read from its own store, whatever its address begins with. */
const isFetchable = (url: string, baseUrl: string) =>
  isUrl(url) && (new URL(url).protocol === 'https:' || url.startsWith(`${baseUrl}/media/`));

const toBlock = ({ path, code, message, provider = '' }: Issue) => {
  const [, version = '0', part = '', index = '0', field = ''] = path.split('.');
  const column =
    version !== '0'
      ? 'versions'
      : part === 'options'
        ? 'options'
        : index !== '0'
          ? 'thread'
          : field === 'media'
            ? 'media'
            : 'text';
  return block(column, code, `${provider}: ${message}`);
};

/** What the rules of posts refuse, by column of the file. */
const refusals = (check: () => unknown): ImportProblem[] => {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.issues.map(({ path, code, message }) => {
      const column = /^versions\.0\.options/.test(path) ? 'options' : 'versions';
      return problem(column, code, message);
    });
  }
};

/** Recognises the same row in another file, independent of the connected accounts. */
const fingerprintOf = ({ accounts, versions, time }: Entry, at: string | null, defaults: readonly string[]) => {
  const named = accounts.length > 0 ? accounts.map((account) => account.toLowerCase()) : defaults;
  const options = (all: EntryVersion['options']) => Object.entries(all).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const content = versions.map((version) => [
    version.account?.toLowerCase() ?? '',
    version.content.map(({ body, media }) => [body, media.map(({ url, alt = '' }) => [url, alt])]),
    options(version.options),
  ]);
  return sha256(JSON.stringify([[...named].sort(), at ?? time, content]));
};
