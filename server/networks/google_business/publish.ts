import { z } from 'zod';
import {
  type Confirmation,
  type NetworkPost,
  type Preparation,
  ready,
  type SendEnd,
  type Sending,
  type Site,
  sent,
  waiting,
} from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { option } from '#server/networks/shared/post';
import { isSince, type Page, searchBack, withoutMatch } from '#server/networks/shared/recent';
import { comparable } from '#server/networks/shared/text';
import { NetworkTrouble } from '#server/networks/trouble';
import { ask } from './api.ts';
import { confirmPhoto, isPhoto, sendPhoto } from './photo.ts';

const pageSize = 100;
const processingMs = 15_000;
/** A post that Google is still processing by then counts as published: refusals come earlier. */
const maxProcessingReads = 8;

export interface Prepared {
  /** Set once Google has the post and processes it. */
  readonly name?: string;
  readonly asked?: number;
}

/** Google fetches the image when it gets the post. */
export const prepare = async (): Promise<Preparation<Prepared>> => ready({});

const LocalPost = z.object({
  name: z.string().min(1),
  state: z.string().optional(),
  searchUrl: z.string().optional(),
  summary: z.string().default(''),
  createTime: z.string().optional(),
});
type LocalPost = z.output<typeof LocalPost>;

export const send = async (site: Site, sending: Sending): Promise<SendEnd<Prepared>> => {
  const { account, post, part } = sending;
  if (isPhoto(post)) return sendPhoto(site, sending);
  const answer = await ask(site, account, {
    host: 'posts',
    path: `/v4/${account.id}/localPosts`,
    json: {
      languageCode: option(post, 'google_business.language'),
      summary: part.body,
      topicType: option(post, 'google_business.topic_type'),
      ...buttonOf(post),
      ...eventOf(post),
      ...offerOf(post),
      ...(part.media.length > 0 && {
        media: part.media.map(({ url }) => ({ mediaFormat: 'PHOTO', sourceUrl: url })),
      }),
    },
  });
  return endOf(shaped(LocalPost, answer), 0);
};

const endOf = ({ name, state, searchUrl, createTime }: LocalPost, reads: number): SendEnd<Prepared> => {
  if (state === 'REJECTED') {
    throw new NetworkTrouble(
      'content',
      'Google rejected the post because of its content policy. Phone numbers and links in the text are frequent reasons.',
      { networkCode: state, isVerdict: true },
    );
  }
  const out = {
    externalId: name,
    ...(searchUrl && { url: searchUrl }),
    ...(createTime && { publishedAt: createTime }),
  };
  return state === 'PROCESSING' && reads < maxProcessingReads
    ? waiting({ name, asked: reads }, processingMs, out)
    : sent(out);
};

/** Google omits empty lists. Next to unknown fields, a missing list may mean something else, so it is not accepted. */
const LocalPosts = z.union([
  z.object({ localPosts: z.array(LocalPost), nextPageToken: z.string().optional() }),
  z
    .strictObject({ nextPageToken: z.string().optional() })
    .transform(({ nextPageToken }) => ({ localPosts: [], nextPageToken })),
]);

/** Google has no idempotency keys: until the name of the post is known, the latest posts are compared. */
export const confirm = async (
  site: Site,
  sending: Sending,
  { name, asked: reads = 0 }: Prepared,
): Promise<Confirmation<Prepared>> => {
  const { account, post, part, since } = sending;
  if (isPhoto(post)) return confirmPhoto(site, sending);
  if (name !== undefined) {
    return endOf(shaped(LocalPost, await ask(site, account, { host: 'posts', path: `/v4/${name}` })), reads + 1);
  }
  const path = `/v4/${account.id}/localPosts`;
  const readPage = async (cursor?: string): Promise<Page<LocalPost>> => {
    const answer = await ask(site, account, { host: 'posts', path, query: { pageSize, pageToken: cursor } });
    const { localPosts, nextPageToken } = shaped(LocalPosts, answer);
    return { entries: localPosts, next: nextPageToken };
  };
  const timeOf = ({ createTime = '' }: LocalPost) => Date.parse(createTime);
  const search = await searchBack({
    readPage,
    isCandidate: (one) => comparable(one.summary) === comparable(part.body) && isSince(timeOf(one), since),
    timeOf,
    since,
  });
  return search.match ? endOf(search.match, 0) : withoutMatch(search);
};

const value = (post: NetworkPost, name: string) => option(post, `google_business.${name}`);

/** Offers show no button, and a call needs no link. */
const buttonOf = (post: NetworkPost) => {
  const actionType = value(post, 'cta_type');
  if (actionType === '' || actionType === 'NONE' || value(post, 'topic_type') === 'OFFER') return {};
  return { callToAction: { actionType, ...(actionType !== 'CALL' && { url: value(post, 'cta_url') }) } };
};

const eventOf = (post: NetworkPost) => {
  if (value(post, 'topic_type') === 'STANDARD') return {};
  const [startDate, startTime] = clockOf(value(post, 'event_start'));
  const [endDate, endTime] = clockOf(value(post, 'event_end'));
  const schedule = { startDate, startTime, endDate, endTime };
  return { event: { title: value(post, 'event_title'), schedule, ...recurrenceOf(post, startDate.day) } };
};

const recurrenceOf = (post: NetworkPost, dayOfMonth: number | undefined) => {
  const patterns: Readonly<Record<string, object>> = {
    DAILY: { dailyPattern: {} },
    // Without days, the post repeats on the weekday of its start.
    WEEKLY: { weeklyPattern: {} },
    MONTHLY: { monthlyPattern: { dayOfMonth } },
  };
  const pattern = patterns[value(post, 'repeat')];
  const seriesEndTime = value(post, 'repeat_until');
  return pattern && { recurrenceInfo: { ...pattern, ...(seriesEndTime !== '' && { seriesEndTime }) } };
};

/** Google expects the local time of the location but does not report its time zone: the time is sent as written. */
const clockOf = (instant: string) => {
  const [year, month, day, hours, minutes] = instant.split(/[-Tt:]/, 5).map((digits) => Number.parseInt(digits, 10));
  return [
    { year, month, day },
    { hours, minutes },
  ] as const;
};

const offerOf = (post: NetworkPost) => {
  if (value(post, 'topic_type') !== 'OFFER') return {};
  const offer = {
    couponCode: value(post, 'offer_code'),
    redeemOnlineUrl: value(post, 'offer_url'),
    termsConditions: value(post, 'offer_terms'),
  };
  const entries = Object.entries(offer).filter(([, text]) => text !== '');
  return entries.length > 0 ? { offer: Object.fromEntries(entries) } : {};
};
