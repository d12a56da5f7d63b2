import { z } from 'zod';
import { ask, duplicateKey } from '#server/networks/families/mastodon/api';
import { idAtServer } from '#server/networks/families/mastodon/connect';
import {
  findSent,
  type Prepared,
  pageSize,
  postStatus,
  type Status,
  Statuses,
  timesOf,
} from '#server/networks/families/mastodon/publish';
import type { Confirmation, SendEnd, Sending, Site } from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { isOn, option } from '#server/networks/shared/post';
import { notAmong } from '#server/networks/shared/recent';
import { NetworkTrouble } from '#server/networks/trouble';

/** Items after the first are comments below it. */
export const send = async (site: Site, sending: Sending, prepared: Prepared): Promise<SendEnd<Prepared>> => {
  const { post, part, out } = sending;
  const [first] = out;
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
        }),
  };
  try {
    return await postStatus(site, sending, status);
  } catch (error) {
    if (!(error instanceof NetworkTrouble) || error.networkCode !== duplicateKey) throw error;
    // The server has seen the key and does not say for which post. Until the post can be looked up, the result is
    // unknown.
    const found = await look(site, sending, prepared).catch(() => undefined);
    if (found === undefined) throw error;
    return found;
  }
};

export const confirm = async (site: Site, sending: Sending, prepared: Prepared): Promise<Confirmation<Prepared>> => {
  const statuses = await listed(site, sending);
  return findSent(statuses, sending, prepared) ?? notAmong(timesOf(statuses), pageSize, sending.since);
};

const look = async (site: Site, sending: Sending, prepared: Prepared) =>
  findSent(await listed(site, sending), sending, prepared);

const listed = (site: Site, sending: Sending) => {
  const [first] = sending.out;
  return first ? ownComments(site, sending, first.externalId) : ownPosts(site, sending);
};

const ownPosts = async (site: Site, { account }: Sending): Promise<Status[]> => {
  const path = `/api/v1/accounts/${idAtServer(account)}/statuses`;
  return shaped(Statuses, await ask(site, account, { path, query: { limit: pageSize, only_media: 'true' } }));
};

const Context = z.object({ descendants: Statuses });

/** The list of the account leaves comments out. */
const ownComments = async (site: Site, { account }: Sending, postId: string): Promise<Status[]> => {
  const { descendants } = shaped(Context, await ask(site, account, { path: `/api/v1/statuses/${postId}/context` }));
  return descendants.filter((comment) => comment.account.id === idAtServer(account));
};
