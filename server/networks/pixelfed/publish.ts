import { z } from 'zod';
import { ask, duplicateKey } from '#server/networks/families/mastodon/api';
import { idAtServer } from '#server/networks/families/mastodon/connect';
import {
  findStatus,
  ownStatuses,
  type Prepared,
  postStatus,
  type Status,
  Statuses,
} from '#server/networks/families/mastodon/publish';
import { type Confirmation, type SendEnd, type Sending, type Site, unknown } from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { isOn, option } from '#server/networks/shared/post';
import type { Page } from '#server/networks/shared/recent';
import { NetworkTrouble } from '#server/networks/trouble';

/** Items after the first are comments below it. */
export const send = async (site: Site, sending: Sending, prepared: Prepared): Promise<SendEnd<Prepared>> => {
  const { post, part, out } = sending;
  const [first] = out;
  const place = option(post, 'pixelfed.place');
  const collection = option(post, 'pixelfed.collection');
  const status = {
    status: part.body,
    visibility: option(post, 'pixelfed.visibility') || undefined,
    ...(first
      ? { in_reply_to_id: first.externalId }
      : {
          media_ids: prepared.mediaIds,
          sensitive: isOn(post, 'pixelfed.sensitive'),
          spoiler_text: option(post, 'pixelfed.spoiler_text') || undefined,
          comments_disabled: isOn(post, 'pixelfed.comments_disabled'),
          ...(place !== '' && { place_id: Number(place) }),
          ...(collection !== '' && { collection_ids: [collection] }),
        }),
  };
  try {
    return await postStatus(site, sending, status);
  } catch (error) {
    if (!(error instanceof NetworkTrouble)) throw error;
    if (error.kind === 'rateLimited') throw withSpentKey(error);
    if (error.networkCode !== duplicateKey) throw error;
    // The server has seen the key and does not say for which post. Until the post can be looked up, the result is
    // unknown.
    const confirmation = await confirm(site, sending, prepared).catch(() => unknown);
    if (confirmation.is !== 'sent') throw error;
    return confirmation;
  }
};

/** Pixelfed stores the key before it checks its limits, so a rate-limited attempt uses up the key. */
const withSpentKey = ({ message, networkCode = '429', until }: NetworkTrouble) =>
  new NetworkTrouble('rateLimited', message, { networkCode, isKeySpent: true, ...(until && { until }) });

export const confirm = async (site: Site, sending: Sending, prepared: Prepared): Promise<Confirmation<Prepared>> => {
  const [first] = sending.out;
  if (first === undefined)
    return findStatus(ownStatuses(site, sending.account, { only_media: 'true' }), sending, prepared);
  const comments = await readComments(site, sending, first.externalId);
  const confirmation = await findStatus(async () => comments, sending, prepared);
  return confirmation.is === 'absent' && comments.isCut ? unknown : confirmation;
};

const Context = z.object({ descendants: Statuses });
/** Pixelfed returns at most this many comments, in no documented order and without further pages. */
const mostComments = 20;

/** The list of the account leaves comments out. */
const readComments = async (
  site: Site,
  { account }: Sending,
  postId: string,
): Promise<Page<Status> & { isCut: boolean }> => {
  const { descendants } = shaped(Context, await ask(site, account, { path: `/api/v1/statuses/${postId}/context` }));
  const entries = descendants.filter((comment) => comment.account.id === idAtServer(account));
  return { entries, isCut: descendants.length >= mostComments };
};
