import { z } from 'zod';
import { absent, type Confirmation, type Sending, type Site, sent, unknown, waiting } from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { minutes, seconds } from '#server/networks/shared/limits';
import { isVideo, option } from '#server/networks/shared/post';
import { isSince, type Page, searchBack } from '#server/networks/shared/recent';
import { comparable } from '#server/networks/shared/text';
import { NetworkTrouble } from '#server/networks/trouble';
import { ask, troubleFor } from './api.ts';
import { everyone } from './creator.ts';
import type { Prepared } from './publish.ts';
import { readStatus } from './status.ts';

const askAgainMs = seconds(20);
/** A public post usually has its id within a minute. Sometimes it takes hours, which we do not wait for. */
const idMs = minutes(5);
/** How long TikTok may take to count bytes that it has received. */
const cutMs = minutes(1);

export const confirm = async (site: Site, sending: Sending, prepared: Prepared): Promise<Confirmation<Prepared>> => {
  if (prepared.publishId === undefined) return findPhotos(site, sending, prepared);
  const status = await readStatus(site, sending.account, prepared.publishId);
  if (status === undefined) return unknown;
  if (status.said === 'SEND_TO_USER_INBOX') return inInbox(prepared.publishId, sending);
  if (status.said === 'PUBLISH_COMPLETE') return published(site, sending, prepared, status.publicIds);
  if (status.said === 'FAILED') return failed(status.failReason);
  const video = sending.part.media.find(isVideo);
  const isCut = video !== undefined && !prepared.uploaded && status.uploadedBytes < video.bytes;
  return isCut ? waitOr(site, prepared, cutMs, absent) : waiting(prepared, askAgainMs);
};

/**
 * The draft is in the inbox, so the send is done. A draft has no address, and TikTok does not report when it is posted.
 */
const inInbox = (publishId: string, { part }: Sending) => {
  const text = part.media.some(isVideo) && part.body.trim() !== '' ? 'paste the text, ' : '';
  return sent({
    externalId: publishId,
    withoutStatistics: true,
    note: `Not public yet: open the notification in the inbox of the TikTok app, ${text}choose who can see it and post it there.`,
  });
};

/** TikTok has given up on it: whatever the reason, asking again changes nothing. */
const failed = (reason: string) => {
  if (reason === 'internal') return absent;
  const { kind, message } = troubleFor(reason);
  throw new NetworkTrouble(kind === 'media' ? 'media' : 'content', message, { networkCode: reason, isVerdict: true });
};

/** Keeps waiting until `forMs` after the first call, then returns `orElse`. */
const waitOr = <Else extends Confirmation<Prepared>>(site: Site, prepared: Prepared, forMs: number, orElse: Else) => {
  const now = site.now();
  const { waitingSince = now.toISOString() } = prepared;
  if (now.getTime() - Date.parse(waitingSince) >= forMs) return orElse;
  return waiting({ ...prepared, waitingSince }, askAgainMs, orElse.is === 'sent' ? orElse.sent : undefined);
};

const published = (site: Site, sending: Sending, prepared: Prepared, [id]: readonly string[]) => {
  if (id !== undefined) return posted(site, sending, prepared, id);
  const withoutId = sent({
    externalId: prepared.publishId ?? '',
    url: `${site.link('web')}/@${prepared.username}`,
    withoutStatistics: true,
  });
  return prepared.privacy === everyone ? waitOr(site, prepared, idMs, withoutId) : withoutId;
};

const posted = (site: Site, { part }: Sending, { username }: Prepared, id: string, at?: Date) =>
  sent({
    externalId: id,
    url: `${site.link('web')}/@${username}/${part.media.some(isVideo) ? 'video' : 'photo'}/${id}`,
    ...(at && { publishedAt: at.toISOString() }),
  });

const Listed = z.object({
  id: z.string(),
  create_time: z.number(),
  title: z.string().default(''),
  video_description: z.string().default(''),
});
type Listed = z.output<typeof Listed>;
const List = z.object({
  data: z.object({
    videos: z.array(Listed),
    cursor: z.number().optional(),
    has_more: z.boolean().default(false),
  }),
});

/** The most that TikTok returns per page. */
const pageSize = 20;

/**
 * When the answer to photos was lost, there is no id to query. TikTok lists only public posts, with a delay, and
 * perhaps not all photo posts, so a post that is missing from the list may still be published.
 */
const findPhotos = async (site: Site, sending: Sending, prepared: Prepared): Promise<Confirmation<Prepared>> => {
  const { account, part, post, since } = sending;
  const textStart = beginning(part.body) || beginning(option(post, 'tiktok.title'));
  // Drafts are in no list.
  if (prepared.privacy !== everyone || textStart === '' || !account.scopes.includes('video.list')) return unknown;
  const readPage = async (cursor?: string): Promise<Page<Listed>> => {
    const answer = await ask(site, account, {
      path: '/video/list/',
      query: { fields: 'id,create_time,title,video_description' },
      json: { max_count: pageSize, ...(cursor !== undefined && { cursor: Number(cursor) }) },
    });
    const { videos, cursor: next, has_more: hasMore } = shaped(List, answer).data;
    return { entries: videos, next: hasMore && next !== undefined ? String(next) : undefined };
  };
  const { match } = await searchBack({
    readPage,
    isCandidate: ({ create_time, title, video_description }) =>
      isSince(create_time * 1000, since) && [title, video_description].map(beginning).includes(textStart),
    timeOf: ({ create_time }) => create_time * 1000,
    since,
  });
  if (match) return posted(site, sending, prepared, match.id, new Date(match.create_time * 1000));
  return waitOr(site, prepared, idMs, unknown);
};

/** TikTok's lists cut texts at 150 characters. */
const beginning = (text: string) => comparable(text).slice(0, 100);
