import type { Account } from '#contracts/accounts';
import type { Post, Validation } from '#contracts/posts';
import type { ProviderLimits } from '#contracts/providers';
import { countText } from '#server/networks/counting';
import { accountsIn, connectedAccounts, networksOf } from './accounts.ts';
import { describePending, publishAsRequested } from './publishing.ts';
import { rangeIn } from './ranges.ts';
import { shorten as shortenText } from './shorten.ts';
import {
  PendingApproval,
  postsWith,
  quotedIn,
  RefusedAction,
  resolvePost,
  type Talk,
  textOf,
  Unclear,
  type UserRequest,
  use,
} from './talk.ts';
import { countOf, joinNames, moment, plain, quote } from './words.ts';

const shownPosts = 10;

export function* find(request: UserRequest): Talk {
  const status = statusIn(request.text);
  const words = wordsIn(request.text);
  const { matches, more } = yield* postsWith(words, status);
  const what = status ? nounOf[status] : 'post';
  const about = words === '' ? '' : ` with ${quote(words)}`;
  if (matches.length === 0) return `There are no ${what}s${about}${more ? ' among the newest' : ''}.`;
  const isTimed = status === 'Scheduled';
  const posts = isTimed
    ? matches.toSorted((a, b) => (a.scheduledAt ?? '').localeCompare(b.scheduledAt ?? ''))
    : matches;
  const lines = posts
    .slice(0, shownPosts)
    .map((post) => `- ${describePost(post, request.timeZone, status === undefined)}`);
  const rest = more || posts.length > shownPosts ? seePosts : '';
  const count = countOf(posts.length, what);
  // Posts that were not read may be due earlier.
  if (isTimed && more) return `${count}${about} among the newest, by time:\n${lines.join('\n')}${rest}`;
  return `${count}${about}, ${isTimed ? 'the next' : 'newest'} first:\n${lines.join('\n')}${rest}`;
}

const seePosts = '\nThere are more; the page Posts has them all.';

const nounOf: Readonly<Record<Post['status'], string>> = {
  Draft: 'draft',
  Scheduled: 'scheduled post',
  Publishing: 'post',
  Published: 'published post',
  Failed: 'failed post',
};

const statusIn = (text: string): Post['status'] | undefined => {
  if (/\bdrafts?\b/i.test(text)) return 'Draft';
  if (/\bscheduled\b|\bplanned\b/i.test(text)) return 'Scheduled';
  if (/\bpublished\b|\bsent\b|\bwent out\b/i.test(text)) return 'Published';
  return /\bfailed\b/i.test(text) ? 'Failed' : undefined;
};

const wordsIn = (text: string) =>
  quotedIn(text)?.text ??
  /\b(?:about|containing|mentioning|with|for)\s+(.+)$/i
    .exec(text)?.[1]
    ?.replace(/[.?!]+$/, '')
    .trim() ??
  '';

const describePost = (post: Post, timeZone: string, withStatus: boolean) => {
  const time = post.scheduledAt ? `${moment(post.scheduledAt, timeZone)} ` : '';
  return `${withStatus ? `${post.status} ` : ''}${time}[${quote(textOf(post))}](/posts/${post.id})`;
};

export function* failed(request: UserRequest): Talk {
  const isOne = /\b(this|it|that)\b/i.test(request.text) && !/\bposts\b/i.test(request.text);
  const { posts, nextCursor } = isOne
    ? { posts: [yield* use<Post>('posts.get', { id: yield* resolvePost(request) })] }
    : yield* use<{ posts: Post[]; nextCursor?: string }>(
        'posts.list',
        { status: 'Failed', limit: shownPosts },
        { acceptsPart: true },
      );
  const accounts = new Map((yield* connectedAccounts()).map((one) => [one.id, one]));
  const lines = posts.flatMap((post) => {
    const reasons = post.results.filter(({ ok }) => !ok).map((result) => `  - ${reasonOf(result, accounts)}`);
    return reasons.length === 0 ? [] : [`- [${quote(textOf(post))}](/posts/${post.id})`, ...reasons];
  });
  if (lines.length === 0) return isOne ? 'That post did not fail.' : 'No post has failed.';
  const list = lines.join('\n');
  if (isOne) return `That post failed:\n${list}`;
  return nextCursor === undefined
    ? `${countOf(posts.length, 'post')} failed:\n${list}`
    : `The newest ${countOf(posts.length, 'failed post')}:\n${list}${seePosts}`;
}

const reasonOf = ({ accountId, uncertain, error }: Post['results'][number], accounts: ReadonlyMap<string, Account>) => {
  const where = accounts.get(accountId)?.provider ?? 'An account that is gone';
  const why = plain((error?.message ?? 'no reason was given').slice(0, 300));
  return `${where}: ${why}${uncertain ? ' It may be there all the same: look before you send it again.' : ''}`;
};

/** Uses the user's own words, because this model cannot write. */
export function* draft(request: UserRequest): Talk {
  const parsed = draftIn(request.text);
  if (parsed === undefined) {
    return 'I keep your words, but I cannot write a text of my own. Say it like this: draft a post for Bluesky saying “We open at 7”. Whoever runs this server can set a language model, which writes.';
  }
  const all = yield* connectedAccounts();
  if (all.length === 0) return 'No account is connected yet. Connect one under Social accounts first.';
  const named = accountsIn(parsed.around, all);
  const accounts = named.length > 0 ? named : yield* acceptingText(all);
  const body = parsed.text;
  const { id } = yield* use<Post>('posts.create', { accountIds: accounts.map((one) => one.id), body });
  const check = yield* validatePost(id, accounts);
  const link = `[The draft](/posts/${id})`;
  if (!check.isFine)
    return `${link} is ready for ${joinNames(networksOf(accounts))}, but it cannot go out yet:\n${check.text}`;
  const next = yield* continueRequest({ ...request, text: parsed.around }, id);
  return next ?? `${link} is ready for ${joinNames(networksOf(accounts))}. ${check.text}`;
}

function* continueRequest(request: UserRequest, id: string): Talk<string | undefined> {
  try {
    return yield* publishAsRequested(request, id);
  } catch (error) {
    if (!(error instanceof PendingApproval)) throw error;
    return `The draft is ready. ${describePending(error.action)}`;
  }
}

const asksForDraft = /^\W*(?:please\s+|can you\s+|could you\s+)*(?:draft|write|create|make|compose|prepare)\b/i;

export const isDraft = (text: string) => asksForDraft.test(text) && /\b(post|draft|thread)\b|["“„«]/i.test(text);

const draftIn = (text: string) => {
  const quote = quotedIn(text);
  if (quote) return quote;
  const match = /\b(?:saying|that says|with the text|reading)\b:?\s+([\s\S]+)$|:\s*([\s\S]+)$/i.exec(text);
  const body = (match?.[1] ?? match?.[2])?.trim();
  return match && body ? { text: body, around: text.slice(0, match.index) } : undefined;
};

/** Accounts that accept a post without media and options; all accounts if none does. */
function* acceptingText(accounts: readonly Account[]): Talk<Account[]> {
  const limits = yield* limitsByNetwork(accounts);
  const accepting = accounts.filter(({ network, status }) => {
    const limit = limits.get(network);
    const needsOption = limit?.options.some((option) => option.required === true && option.default === undefined);
    return status === 'Connected' && limit?.constraints.media.min === 0 && !needsOption;
  });
  return accepting.length > 0 ? accepting : [...accounts];
}

/** Only for the networks of these accounts: the output for all networks would be cut. */
function* limitsByNetwork(accounts: readonly Account[]): Talk<Map<string, ProviderLimits>> {
  const networks = [...new Set(accounts.map(({ network }) => network))];
  const { providers } = yield* use<{ providers: ProviderLimits[] }>(
    'providers.limits',
    { networks },
    { acceptsPart: true },
  );
  if (!Array.isArray(providers)) throw new Unclear('The limits of the networks are too long for me to read.');
  return new Map(providers.map((one) => [one.network, one]));
}

export function* validate(request: UserRequest): Talk {
  const id = yield* resolvePost(request);
  const post = yield* use<Post>('posts.get', { id }, { acceptsPart: true });
  const accounts = (yield* connectedAccounts()).filter((one) => post.accountIds.includes(one.id));
  const { isFine, text } = yield* validatePost(id, accounts);
  return isFine ? text : `It cannot go out yet:\n${text}`;
}

function* validatePost(id: string, accounts: readonly Account[]): Talk<{ isFine: boolean; text: string }> {
  try {
    const { warnings } = yield* use<Validation>('posts.validate', { id });
    const lines = warnings.map(({ message }) => `\n- ${plain(message)}`).join('');
    return { isFine: true, text: `${fits(accounts.length)}${lines && ` Mind:${lines}`}` };
  } catch (error) {
    if (!(error instanceof RefusedAction && error.code === 'Invalid')) throw error;
    return { isFine: false, text: error.issues.map(describeIssue).join('\n') || plain(error.message) };
  }
}

const describeIssue = ({ provider, message }: RefusedAction['issues'][number]) =>
  `- ${provider && !message.startsWith(provider) ? `${provider}: ` : ''}${plain(message)}`;

const fits = (count: number) =>
  `It fits ${['no account', 'the account', 'both accounts'][count] ?? `all ${count} accounts`}.`;

/** The length to aim for, as a share of the text, if it already fits and the user names no length. */
const defaultShare = 0.6;

export function* shorten(request: UserRequest): Talk {
  const id = yield* resolvePost(request);
  const post = yield* use<Post>('posts.get', { id });
  const accounts = (yield* connectedAccounts()).filter((one) => post.accountIds.includes(one.id));
  const named = accountsIn(request.text, accounts);
  const limits = yield* limitsByNetwork(accounts);
  const limitsOf = (of: readonly Account[]) =>
    of.flatMap(({ network }) => limits.get(network)?.constraints.characters ?? []);
  const requested = Number(/\b(\d{2,6})\s*(?:characters|chars|letters)\b/i.exec(request.text)?.[1] ?? Number.NaN);
  // Without an account name, shortens the original version, which all accounts without their own text share.
  const places = named.length > 0 ? named.map((one) => [one]) : [accounts];
  const results: string[] = [];
  for (const place of places) {
    const accountId = named.length > 0 ? (place[0]?.id ?? '') : '';
    const version =
      post.versions.find((one) => (one.accountId ?? '') === accountId) ?? post.versions.find((one) => !one.accountId);
    const characters = limitsOf(place);
    const isOver = (text: string) => characters.some((one) => countText(one, text) > one.max);
    for (const [itemIndex, { body }] of (version?.content ?? []).entries()) {
      const length = [...body].length;
      const max = Number.isNaN(requested) ? (isOver(body) ? length : Math.floor(length * defaultShare)) : requested;
      if (itemIndex > 0 && !isOver(body) && !(length > requested)) continue;
      const shorter = shortenText(body, (text) => !isOver(text) && [...text].length <= max);
      if (shorter === undefined || shorter === body) continue;
      yield* use('posts.setVersionText', { id, accountId, itemIndex, body: shorter });
      const where = accountId === '' ? '' : ` for ${place[0]?.provider}`;
      results.push(`Shortened${where}, from ${length} to ${[...shorter].length} characters: ${quote(shorter, 400)}`);
    }
  }
  if (results.length === 0)
    return 'I found nothing to leave out: I drop whole sentences and then words, and this text has too few.';
  const { isFine, text } = yield* validatePost(id, accounts);
  return `${results.join('\n')}\n${isFine ? text : `It still cannot go out:\n${text}`}\nI leave out sentences and write none: see that nothing is missing.`;
}

export function* listAccounts(): Talk {
  const accounts = yield* connectedAccounts();
  if (accounts.length === 0) return 'No account is connected yet. Connect one under Social accounts.';
  const lines = accounts.map(
    ({ provider, handle, status }) =>
      `- ${provider} ${plain(handle)}${status === 'Connected' ? '' : ': needs to be reconnected under Social accounts'}`,
  );
  return `${countOf(accounts.length, 'account')} connected:\n${lines.join('\n')}`;
}

/** Accounts that the network refuses, and accounts that lack only their statistics. */
export function* listBrokenAccounts(): Talk {
  const accounts = yield* connectedAccounts();
  const refused = accounts.filter(({ status }) => status === 'NeedsReconnect');
  const blind = accounts.filter(({ status, statistics }) => status === 'Connected' && statistics === 'Reconnect');
  if (refused.length + blind.length === 0) return 'No account needs reconnecting.';
  const lines = [
    ...refused.map(({ provider, handle }) => `- ${provider} ${plain(handle)}: posts to it fail`),
    ...blind.map(({ provider, handle }) => `- ${provider} ${plain(handle)}: posts go out, statistics are missing`),
  ];
  const count = countOf(lines.length, 'account needs', 'accounts need');
  return `${count} reconnecting, under [Social accounts](/accounts):\n${lines.join('\n')}`;
}

/** Few pages, because an answer has eight steps at most. */
const pagesRead = { Published: 3, Failed: 1 } as const;

/** Posts of the last seven days, unless the question names other days. */
export function* wentOut({ text, now, timeZone }: UserRequest): Talk {
  const range = rangeIn(text, now, timeZone) ?? rangeIn('last 7 days', now, timeZone);
  if (range === undefined) throw new Unclear('Which days? Say it like this: what went out last week?');
  const posts: Post[] = [];
  let hasMore = false;
  // A post that failed on one account may have reached others.
  for (const status of ['Published', 'Failed'] as const) {
    const { matches, more } = yield* postsOf(status);
    posts.push(...matches);
    hasMore ||= more;
  }
  const providers = new Map((yield* connectedAccounts()).map(({ id, provider }) => [id, provider]));
  const sentPosts = posts
    .map((post) => {
      const results = post.results.filter(
        ({ ok, publishedAt = '' }) => ok && isBetween(publishedAt, range.from, range.to),
      );
      const names = results.flatMap(({ accountId }) => providers.get(accountId) ?? []);
      return { post, at: results[0]?.publishedAt ?? '', names: [...new Set(names)] };
    })
    .filter(({ at }) => at !== '')
    .toSorted((a, b) => a.at.localeCompare(b.at));
  const when = `${range.label} (${range.days})`;
  const note = hasMore ? '\nI read only the newest posts; the page Posts has them all.' : '';
  if (sentPosts.length === 0) return `Nothing went out ${when}.${note}`;
  const lines = sentPosts.slice(0, 2 * shownPosts).map(({ post, at, names }) => {
    const where = names.length > 0 ? ` on ${joinNames(names)}` : '';
    return `- ${moment(at, timeZone)} [${quote(textOf(post))}](/posts/${post.id})${where}`;
  });
  const rest = sentPosts.length > lines.length ? `\nAnd ${sentPosts.length - lines.length} more.` : '';
  return `${countOf(sentPosts.length, 'post')} went out ${when}:\n${lines.join('\n')}${rest}${note}`;
}

const isBetween = (at: string, from: string, to: string) =>
  Date.parse(at) >= Date.parse(from) && Date.parse(at) < Date.parse(to);

function* postsOf(status: keyof typeof pagesRead): Talk<{ matches: Post[]; more: boolean }> {
  const matches: Post[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pagesRead[status]; page++) {
    const { posts, nextCursor } = yield* use<{ posts: Post[]; nextCursor?: string }>(
      'posts.list',
      { status, limit: 30, ...(cursor && { cursor }) },
      { acceptsPart: true },
    );
    matches.push(...posts);
    cursor = nextCursor;
    if (cursor === undefined) break;
  }
  return { matches, more: cursor !== undefined };
}
