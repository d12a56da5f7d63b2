import type { Account } from '#contracts/accounts';
import type { Post, Validation } from '#contracts/posts';
import type { ProviderLimits } from '#contracts/providers';
import { countText } from '#server/networks/counting';
import { accountsIn, connected, networksOf } from './accounts.ts';
import { askFor, waitingInWords } from './going-out.ts';
import { shorten as shortenText } from './shorten.ts';
import {
  type Asked,
  postMeant,
  postsWith,
  quotedIn,
  Refused,
  type Talk,
  textOf,
  Unclear,
  use,
  Waiting,
} from './talk.ts';
import { counted, listed, moment, plain, quoted } from './words.ts';

const shownPosts = 10;

export function* find(asked: Asked): Talk {
  const status = statusIn(asked.text);
  const words = wordsIn(asked.text);
  const { found, more } = yield* postsWith(words, status);
  const what = status ? ofStatus[status] : 'post';
  const about = words === '' ? '' : ` with ${quoted(words)}`;
  if (found.length === 0) return `There are no ${what}s${about}${more ? ' among the newest' : ''}.`;
  const isTimed = status === 'Scheduled';
  const posts = isTimed ? found.toSorted((a, b) => (a.scheduledAt ?? '').localeCompare(b.scheduledAt ?? '')) : found;
  const lines = posts.slice(0, shownPosts).map((post) => `- ${lineOf(post, asked.timeZone, status === undefined)}`);
  const rest = more || posts.length > shownPosts ? '\nThere are more; the page Posts has them all.' : '';
  return `${counted(posts.length, what)}${about}, ${isTimed ? 'the next' : 'newest'} first:\n${lines.join('\n')}${rest}`;
}

const ofStatus: Readonly<Record<Post['status'], string>> = {
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

const lineOf = (post: Post, timeZone: string, withStatus: boolean) => {
  const time = post.scheduledAt ? `${moment(post.scheduledAt, timeZone)} ` : '';
  return `${withStatus ? `${post.status} ` : ''}${time}[${quoted(textOf(post))}](/posts/${post.id})`;
};

export function* failed(asked: Asked): Talk {
  const isOne = /\b(this|it|that)\b/i.test(asked.text) && !/\bposts\b/i.test(asked.text);
  const posts = isOne
    ? [yield* use<Post>('posts.get', { id: yield* postMeant(asked) })]
    : (yield* use<{ posts: Post[] }>('posts.list', { status: 'Failed', limit: shownPosts }, { partWillDo: true }))
        .posts;
  const accounts = new Map((yield* connected()).map((one) => [one.id, one]));
  const lines = posts.flatMap((post) => {
    const reasons = post.results.filter(({ ok }) => !ok).map((result) => `  - ${reasonOf(result, accounts)}`);
    return reasons.length === 0 ? [] : [`- [${quoted(textOf(post))}](/posts/${post.id})`, ...reasons];
  });
  if (lines.length === 0) return isOne ? 'That post did not fail.' : 'No post has failed.';
  return `${isOne ? 'That post failed:' : `${counted(posts.length, 'post')} failed:`}\n${lines.join('\n')}`;
}

const reasonOf = ({ accountId, uncertain, error }: Post['results'][number], accounts: ReadonlyMap<string, Account>) => {
  const where = accounts.get(accountId)?.provider ?? 'An account that is gone';
  const why = plain((error?.message ?? 'no reason was given').slice(0, 300));
  return `${where}: ${why}${uncertain ? ' It may be there all the same: look before you send it again.' : ''}`;
};

/** The words are the user's own. */
export function* draft(asked: Asked): Talk {
  const wanted = draftIn(asked.text);
  if (wanted === undefined) {
    return 'I keep your words, but I cannot write a text of my own. Say it like this: draft a post for Bluesky saying “We open at 7”. Whoever runs this server can set a language model, which writes.';
  }
  const all = yield* connected();
  if (all.length === 0) return 'No account is connected yet. Connect one under Social accounts first.';
  const named = accountsIn(wanted.around, all);
  const accounts = named.length > 0 ? named : yield* takingText(all);
  const body = wanted.text;
  const { id } = yield* use<Post>('posts.create', { accountIds: accounts.map((one) => one.id), body });
  const check = yield* checked(id, accounts);
  const link = `[The draft](/posts/${id})`;
  if (!check.isFine)
    return `${link} is ready for ${listed(networksOf(accounts))}, but it cannot go out yet:\n${check.text}`;
  const next = yield* askedNext({ ...asked, text: wanted.around }, id);
  return next ?? `${link} is ready for ${listed(networksOf(accounts))}. ${check.text}`;
}

function* askedNext(asked: Asked, id: string): Talk<string | undefined> {
  try {
    return yield* askFor(asked, id);
  } catch (error) {
    if (!(error instanceof Waiting)) throw error;
    return `The draft is ready. ${waitingInWords(error.action)}`;
  }
}

const asksForDraft = /^\W*(?:please\s+|can you\s+|could you\s+)*(?:draft|write|create|make|compose|prepare)\b/i;

export const isDraft = (text: string) => asksForDraft.test(text) && /\b(post|draft|thread)\b|["“„«]/i.test(text);

const draftIn = (text: string) => {
  const quote = quotedIn(text);
  if (quote) return quote;
  const found = /\b(?:saying|that says|with the text|reading)\b:?\s+([\s\S]+)$|:\s*([\s\S]+)$/i.exec(text);
  const body = (found?.[1] ?? found?.[2])?.trim();
  return found && body ? { text: body, around: text.slice(0, found.index) } : undefined;
};

/** Where a post without media and options can go. */
function* takingText(accounts: readonly Account[]): Talk<Account[]> {
  const limits = yield* limitsByNetwork();
  const taking = accounts.filter(({ network, status }) => {
    const found = limits.get(network);
    const needs = found?.options.some(({ required, default: usual }) => required === true && usual === undefined);
    return status === 'Connected' && found?.constraints.media.min === 0 && !needs;
  });
  return taking.length > 0 ? taking : [...accounts];
}

function* limitsByNetwork(): Talk<Map<string, ProviderLimits>> {
  const { providers } = yield* use<{ providers: ProviderLimits[] }>('providers.limits', {}, { partWillDo: true });
  if (!Array.isArray(providers)) throw new Unclear('The limits of the networks are too long for me to read.');
  return new Map(providers.map((one) => [one.network, one]));
}

export function* validate(asked: Asked): Talk {
  const id = yield* postMeant(asked);
  const post = yield* use<Post>('posts.get', { id }, { partWillDo: true });
  const accounts = (yield* connected()).filter((one) => post.accountIds.includes(one.id));
  const { isFine, text } = yield* checked(id, accounts);
  return isFine ? text : `It cannot go out yet:\n${text}`;
}

function* checked(id: string, accounts: readonly Account[]): Talk<{ isFine: boolean; text: string }> {
  try {
    const { warnings } = yield* use<Validation>('posts.validate', { id });
    const noted = warnings.map(({ message }) => `\n- ${plain(message)}`).join('');
    return { isFine: true, text: `${fits(accounts.length)}${noted && ` Mind:${noted}`}` };
  } catch (error) {
    if (!(error instanceof Refused && error.code === 'Invalid')) throw error;
    return { isFine: false, text: error.issues.map(issueInWords).join('\n') || plain(error.message) };
  }
}

const issueInWords = ({ provider, message }: Refused['issues'][number]) =>
  `- ${provider && !message.startsWith(provider) ? `${provider}: ` : ''}${plain(message)}`;

const fits = (count: number) =>
  `It fits ${['no account', 'the account', 'both accounts'][count] ?? `all ${count} accounts`}.`;

/** How much shorter a text becomes that has room already. */
const usualShare = 0.6;

export function* shorten(asked: Asked): Talk {
  const id = yield* postMeant(asked);
  const post = yield* use<Post>('posts.get', { id });
  const accounts = (yield* connected()).filter((one) => post.accountIds.includes(one.id));
  const named = accountsIn(asked.text, accounts);
  const limits = yield* limitsByNetwork();
  const limitsOf = (of: readonly Account[]) =>
    of.flatMap(({ network }) => limits.get(network)?.constraints.characters ?? []);
  const wished = Number(/\b(\d{2,6})\s*(?:characters|chars|letters)\b/i.exec(asked.text)?.[1] ?? Number.NaN);
  // Without a name the original is meant, and with it every account that has no text of its own.
  const places = named.length > 0 ? named.map((one) => [one]) : [accounts];
  const done: string[] = [];
  for (const place of places) {
    const accountId = named.length > 0 ? (place[0]?.id ?? '') : '';
    const version =
      post.versions.find((one) => (one.accountId ?? '') === accountId) ?? post.versions.find((one) => !one.accountId);
    const characters = limitsOf(place);
    const isOver = (text: string) => characters.some((one) => countText(one, text) > one.max);
    for (const [itemIndex, { body }] of (version?.content ?? []).entries()) {
      const length = [...body].length;
      const most = Number.isNaN(wished) ? (isOver(body) ? length : Math.floor(length * usualShare)) : wished;
      if (itemIndex > 0 && !isOver(body) && !(length > wished)) continue;
      const shorter = shortenText(body, (text) => !isOver(text) && [...text].length <= most);
      if (shorter === undefined || shorter === body) continue;
      yield* use('posts.setVersionText', { id, accountId, itemIndex, body: shorter });
      const where = accountId === '' ? '' : ` for ${place[0]?.provider}`;
      done.push(`Shortened${where}, from ${length} to ${[...shorter].length} characters: ${quoted(shorter, 400)}`);
    }
  }
  if (done.length === 0)
    return 'I found nothing to leave out: I drop whole sentences and then words, and this text has too few.';
  const { isFine, text } = yield* checked(id, accounts);
  return `${done.join('\n')}\n${isFine ? text : `It still cannot go out:\n${text}`}\nI leave out sentences and write none: see that nothing is missing.`;
}

export function* listAccounts(): Talk {
  const accounts = yield* connected();
  if (accounts.length === 0) return 'No account is connected yet. Connect one under Social accounts.';
  const lines = accounts.map(
    ({ provider, handle, status }) =>
      `- ${provider} ${plain(handle)}${status === 'Connected' ? '' : ': needs to be reconnected under Social accounts'}`,
  );
  return `${counted(accounts.length, 'account')} connected:\n${lines.join('\n')}`;
}
