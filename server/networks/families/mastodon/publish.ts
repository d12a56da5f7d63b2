import { z } from 'zod';
import type { FocusPoint } from '#server/networks/focus';
import {
  type Confirmation,
  type NetworkAccount,
  type Preparation,
  type PublishMedia,
  ready,
  type Sending,
  type Site,
  sent,
  waiting,
} from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { isSince, type Page, searchBack, withoutMatch } from '#server/networks/shared/recent';
import { ask } from './api.ts';
import { idAtServer } from './connect.ts';

const askAgainMs = 2_000;

export interface Prepared {
  readonly mediaIds: readonly string[];
  /** Media that the server is still processing. */
  readonly processing: readonly string[];
}

type FocusOf = (sending: Sending, media: PublishMedia) => FocusPoint | undefined;

export const prepare = (site: Site, sending: Sending, checkpoint?: Prepared): Promise<Preparation<Prepared>> =>
  prepareWith(() => undefined, site, sending, checkpoint);

/** For servers that accept a focal point, which stays visible where an image is cropped. */
export const prepareWith = async (
  focusOf: FocusOf,
  site: Site,
  sending: Sending,
  checkpoint?: Prepared,
): Promise<Preparation<Prepared>> => {
  const prepared = checkpoint ?? (await uploadAll(site, sending, focusOf));
  const processing: string[] = [];
  for (const id of prepared.processing) {
    const { status } = await ask(site, sending.account, { path: `/api/v1/media/${id}` });
    if (status === 206) processing.push(id);
  }
  const now = { ...prepared, processing };
  return processing.length > 0 ? waiting(now, askAgainMs) : ready(now);
};

const uploadAll = async (site: Site, sending: Sending, focusOf: FocusOf): Promise<Prepared> => {
  const mediaIds: string[] = [];
  const processing: string[] = [];
  for (const media of sending.part.media) {
    const { id, isReady } = await upload(site, sending, media, focusOf(sending, media));
    mediaIds.push(id);
    if (!isReady) processing.push(id);
  }
  return { mediaIds, processing };
};

const Uploaded = z.object({ id: z.string() });

const upload = async (site: Site, { account }: Sending, media: PublishMedia, focus: FocusPoint | undefined) => {
  const { id: name, mimeType, bytes: length, alt } = media;
  const file = { field: 'file', name, mimeType, length, stream: await media.read() };
  const multipart = { fields: { description: alt || undefined, focus: focus && `${focus.x},${focus.y}` }, file };
  const answer = await ask(site, account, { path: '/api/v2/media', multipart });
  return { id: shaped(Uploaded, answer).id, isReady: answer.status === 200 };
};

const Status = z.object({
  id: z.string().min(1),
  url: z.string().nullish(),
  uri: z.string().nullish(),
  created_at: z.string(),
  content: z.string().nullish(),
  account: z.object({ id: z.string() }),
  media_attachments: z.array(z.object({ id: z.string() })).default([]),
});
export type Status = z.output<typeof Status>;
export const Statuses = z.array(Status);

/** The networks differ in how they treat a key that they have seen. */
export const postStatus = async (site: Site, { account, key }: Sending, status: Readonly<Record<string, unknown>>) => {
  const headers = { 'idempotency-key': key };
  const answer = await ask(site, account, { path: '/api/v1/statuses', headers, json: status });
  return asSent(shaped(Status, answer));
};

const asSent = ({ id, url, uri, created_at }: Status) => {
  const address = url ?? uri;
  return sent({ externalId: id, ...(address && { url: address }), publishedAt: created_at });
};

/** The most that Mastodon and Pixelfed return per page. */
const pageSize = 40;

/** Pages of what the account posted, newest first. */
export const ownStatuses =
  (site: Site, account: NetworkAccount, filter: Readonly<Record<string, string>>) =>
  async (cursor?: string): Promise<Page<Status>> => {
    const path = `/api/v1/accounts/${idAtServer(account)}/statuses`;
    const entries = shaped(
      Statuses,
      await ask(site, account, { path, query: { limit: pageSize, ...filter, max_id: cursor } }),
    );
    // Servers have limits of their own and leave out what they hide, so only an empty page is the end.
    return { entries, next: entries.at(-1)?.id };
  };

/** A post with media is recognized by them, because no other post has them; any other by text and time. */
const isPart = ({ part, out, since }: Sending, { mediaIds }: Prepared, status: Status): boolean => {
  const { id, content, created_at, media_attachments: media } = status;
  if (out.some(({ externalId }) => externalId === id)) return false;
  if (mediaIds.length > 0) return media.some((one) => mediaIds.includes(one.id));
  return comparable(plain(content ?? '')) === comparable(part.body) && isSince(Date.parse(created_at), since);
};

export const findStatus = async (
  readPage: (cursor?: string) => Promise<Page<Status>>,
  sending: Sending,
  prepared: Prepared,
): Promise<Confirmation<Prepared>> => {
  const search = await searchBack({
    readPage,
    isCandidate: (status) => isPart(sending, prepared, status),
    timeOf: ({ created_at }) => Date.parse(created_at),
    since: sending.since,
  });
  return search.match ? asSent(search.match) : withoutMatch(search);
};

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
  '#039': "'",
  '#x27': "'",
  nbsp: ' ',
};

/** The work grows only with the length, because anybody can run a server and send anything. */
const plain = (html: string) =>
  withoutTags(withoutQuotedAddress(html)).replace(/&(#?\w+);/g, (all, name) => entities[name] ?? all);

const quoteBegins = '<p class="quote-inline">';
const quoteEnds = '</p>';

/** Mastodon puts the address of a quoted post before the text, for software that shows no quotes. */
const withoutQuotedAddress = (html: string) => {
  const start = html.indexOf(quoteBegins);
  const end = start < 0 ? -1 : html.indexOf(quoteEnds, start);
  return end < 0 ? html : html.slice(0, start) + html.slice(end + quoteEnds.length);
};

const withoutTags = (html: string) => {
  const [first = '', ...others] = html.split('<');
  return first + others.map((piece) => piece.slice(piece.indexOf('>') + 1)).join('');
};

/** A server drops the host of a mention and turns paragraphs into tags, so both are ignored. */
const comparable = (text: string) =>
  text
    .replace(/@([\w.-]+)@[\w.-]*\w/g, '@$1')
    .replace(/\s+/g, '')
    .normalize('NFC');
