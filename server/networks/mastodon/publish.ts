import { isUrl } from '#contracts/is-url';
import { ask } from '#server/networks/families/mastodon/api';
import {
  findStatus,
  ownStatuses,
  type Prepared,
  postStatus,
  prepareWith,
} from '#server/networks/families/mastodon/publish';
import { hostIn, noQuotes, runsMastodonItself } from '#server/networks/families/mastodon/server-facts';
import { readFocus } from '#server/networks/focus';
import {
  type Confirmation,
  type Json,
  type NetworkPost,
  type Preparation,
  type SendEnd,
  type Sending,
  type Site,
  sent,
} from '#server/networks/network';
import { pollIn } from '#server/networks/poll';
import { isOn, option } from '#server/networks/shared/post';
import { NetworkTrouble } from '#server/networks/trouble';

export const prepare = (site: Site, sending: Sending, checkpoint?: Prepared): Promise<Preparation<Prepared>> =>
  prepareWith(({ post }, { id }) => readFocus(option(post, 'mastodon.focus'))?.[id], site, sending, checkpoint);

/** `https://mastodon.example/@anna/42`, or only its id. */
export const quotedIn = (post: NetworkPost): { id: string; host?: string } | undefined => {
  const value = option(post, 'mastodon.quote');
  if (/^\d+$/.test(value)) return { id: value };
  const id = /^https?:\/\/.*\/(\d+)\/?$/.exec(value)?.[1];
  return id !== undefined && isUrl(value) ? { id, host: new URL(value).host } : undefined;
};

/** The same id means a different post on every server, so a quoted address must be on the account's server. */
export const quoteRefusal = (post: NetworkPost, facts: Json): string | undefined => {
  const quoted = quotedIn(post);
  if (quoted === undefined) return undefined;
  const host = hostIn(facts);
  if (quoted.host !== undefined && quoted.host !== host) {
    return `The quoted post is at ${quoted.host}: open it at ${host ?? 'the server of this account'}, and give the address that it has there.`;
  }
  return noQuotes(facts);
};

export const send = async (site: Site, sending: Sending, { mediaIds }: Prepared): Promise<SendEnd<Prepared>> => {
  const { post, part, out } = sending;
  const refusal = out.length === 0 ? quoteRefusal(post, sending.account.facts) : undefined;
  if (refusal !== undefined) throw new NetworkTrouble('content', refusal);
  const set = (key: string) => option(post, `mastodon.${key}`) || undefined;
  const end = await postStatus(site, sending, {
    status: part.body,
    ...(mediaIds.length > 0 && { media_ids: mediaIds }),
    in_reply_to_id: out.at(-1)?.externalId,
    visibility: set('visibility'),
    sensitive: set('sensitive') && isOn(post, 'mastodon.sensitive'),
    spoiler_text: set('spoiler_text'),
    language: set('language'),
    quote_approval_policy: set('quote_policy'),
    ...(out.length === 0 && ofPost(post)),
  });
  if (end.is !== 'sent' || (await isShown(site, sending, end.sent.externalId))) return end;
  return sent({ ...end.sent, note: dropped });
};

const dropped =
  'The server took the post, but does not show it: its filter against spam may have dropped it. Look at the account.';

/** For a post that its filter drops, the server answers as usual, but the post does not exist afterwards. */
const isShown = async (site: Site, { account }: Sending, id: string): Promise<boolean> => {
  try {
    await ask(site, account, { path: `/api/v1/statuses/${id}` });
    return true;
  } catch (error) {
    return !(error instanceof NetworkTrouble && error.networkCode === '404');
  }
};

/** Fields that are sent only with the first item of a thread. */
const ofPost = (post: NetworkPost) => {
  const poll = pollIn(post, 'mastodon.poll');
  const quoted = quotedIn(post);
  return {
    ...(quoted && { quoted_status_id: quoted.id }),
    ...(poll && {
      poll: {
        options: poll.choices,
        expires_in: poll.durationMinutes * 60,
        multiple: poll.multiple,
        hide_totals: poll.hideTotals,
      },
    }),
  };
};

/**
 * For an hour, Mastodon answers a repeated key with the first post and makes no second one. Other software may ignore
 * keys.
 */
export const isRepeatable = ({ account }: Sending) => runsMastodonItself(account.facts);

export const confirm = (site: Site, sending: Sending, prepared: Prepared): Promise<Confirmation<Prepared>> =>
  findStatus(ownStatuses(site, sending.account, { exclude_reblogs: 'true' }), sending, prepared);
