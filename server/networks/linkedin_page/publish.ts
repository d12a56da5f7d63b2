import { z } from 'zod';
import { ask, call, troubleOf } from '#server/networks/families/linkedin/api';
import {
  asSent,
  createPublishing,
  madeId,
  nothing,
  type Prepared,
  permalink,
} from '#server/networks/families/linkedin/publish';
import { littleText, plainText } from '#server/networks/little-text';
import {
  type Confirmation,
  type NetworkAccount,
  type Preparation,
  ready,
  type SendEnd,
  type Sending,
  type Site,
  sent,
  waiting,
} from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { isSince, type Page, searchBack, withoutMatch } from '#server/networks/shared/recent';
import { NetworkTrouble } from '#server/networks/trouble';

const pageSize = 100;
/** A new post takes some seconds until it can be commented on, and until lists show it. */
const settlingMs = 10_000;

const urnOf = ({ id }: NetworkAccount) => `urn:li:organization:${id}`;

const posts = createPublishing({
  network: 'linkedin_page',
  urnOf,
  tellsImages: true,
  visibilityOf: () => 'PUBLIC',
});

/** The post that later items are comments on. */
const postUrn = ({ out }: Sending) => out[0]?.externalId;

export const prepare = async (site: Site, sending: Sending, checkpoint?: Prepared): Promise<Preparation<Prepared>> => {
  if (postUrn(sending) === undefined) return posts.prepare(site, sending, checkpoint);
  const isFirst = sending.out.length === 1;
  return isFirst && checkpoint === undefined ? waiting(nothing, settlingMs) : ready(nothing);
};

export const send = async (site: Site, sending: Sending, prepared: Prepared): Promise<SendEnd<Prepared>> => {
  const urn = postUrn(sending);
  if (urn === undefined) return posts.send(site, sending, prepared);
  const answer = await call(site, sending.account, {
    path: commentsPath(urn),
    json: { actor: urnOf(sending.account), object: urn, message: { text: sending.part.body } },
  });
  if (answer.status === 404) {
    // LinkedIn may find the post a moment later, or somebody has deleted it: retry a few times, as after a rate limit.
    const message = 'LinkedIn does not find the post to comment on. Is it still there?';
    throw new NetworkTrouble('rateLimited', message, { networkCode: '404' });
  }
  if (answer.status >= 400) throw troubleOf(site, answer);
  return sent(asComment(site, urn, madeId(answer)));
};

const commentsPath = (urn: string) => `/rest/socialActions/${encodeURIComponent(urn)}/comments`;

const asComment = (site: Site, urn: string, id: string) => ({ externalId: id, url: permalink(site, urn) });

/**
 * LinkedIn has no idempotency keys, so the latest posts are compared. A post without text is recognized only by its
 * media.
 */
export const confirm = async (site: Site, sending: Sending, prepared: Prepared): Promise<Confirmation<Prepared>> => {
  const urn = postUrn(sending);
  const search = await searchBack({
    ...(urn === undefined ? postsOf(site, sending) : commentsOf(site, sending, urn)),
    isCandidate: ({ id, text, at, isOwn }) =>
      isOwn &&
      plainText(text) === plainText(littleText(sending.part.body)) &&
      isSince(at, sending.since) &&
      !sending.out.some(({ externalId }) => externalId === id),
    isMatch: ({ media }) => sending.part.body.trim() !== '' || prepared.media.some(({ id }) => media.includes(id)),
    since: sending.since,
  });
  const { match } = search;
  if (match) {
    const out = urn === undefined ? asSent(site, match.id) : asComment(site, urn, match.id);
    return sent({ ...out, publishedAt: new Date(match.at).toISOString() });
  }
  return prepared.missed ? withoutMatch(search) : waiting({ ...prepared, missed: true }, settlingMs);
};

interface Entry {
  readonly id: string;
  /** In LinkedIn's "little text" format. */
  readonly text: string;
  readonly at: number;
  readonly modifiedAt: number;
  readonly media: readonly string[];
  /** False for other people's comments. */
  readonly isOwn: boolean;
}

const File = z.object({ id: z.string() });

const Posts = z.object({
  elements: z.array(
    z.object({
      id: z.string(),
      commentary: z.string().default(''),
      createdAt: z.number(),
      lastModifiedAt: z.number().optional(),
      content: z
        .object({ media: File.optional(), multiImage: z.object({ images: z.array(File) }).optional() })
        .optional(),
    }),
  ),
});

interface List {
  readonly readPage: (cursor?: string) => Promise<Page<Entry>>;
  readonly timeOf?: (entry: Entry) => number;
}

/** LinkedIn: a page with fewer entries than were asked for is the last. */
const pageOf = (entries: readonly Entry[], start: number): Page<Entry> => ({
  entries,
  next: entries.length < pageSize ? undefined : String(start + pageSize),
});

const postsOf = (site: Site, { account }: Sending): List => ({
  timeOf: ({ modifiedAt }) => modifiedAt,
  readPage: async (cursor = '0') => {
    const answer = await ask(site, account, {
      path: '/rest/posts',
      query: { author: urnOf(account), q: 'author', start: cursor, count: pageSize, sortBy: 'LAST_MODIFIED' },
      headers: { 'X-RestLi-Method': 'FINDER' },
    });
    const entries = shaped(Posts, answer).elements.map(
      ({ id, commentary, createdAt, lastModifiedAt = createdAt, content }) => ({
        id,
        text: commentary,
        at: createdAt,
        modifiedAt: lastModifiedAt,
        media: [...(content?.media ? [content.media] : []), ...(content?.multiImage?.images ?? [])].map(
          (file) => file.id,
        ),
        isOwn: true,
      }),
    );
    return pageOf(entries, Number(cursor));
  },
});

const Comments = z.object({
  elements: z.array(
    z.object({
      id: z.string(),
      actor: z.string(),
      created: z.object({ time: z.number() }),
      message: z.object({ text: z.string() }),
    }),
  ),
});

/** LinkedIn documents no order for comments. */
const commentsOf = (site: Site, { account }: Sending, urn: string): List => ({
  readPage: async (cursor = '0') => {
    const answer = await call(site, account, { path: commentsPath(urn), query: { start: cursor, count: pageSize } });
    // A post without comments may be answered like one that is gone.
    if (answer.status === 404) return { entries: [] };
    if (answer.status >= 400) throw troubleOf(site, answer);
    const entries = shaped(Comments, answer).elements.map(({ id, actor, created, message }) => ({
      id,
      text: littleText(message.text),
      at: created.time,
      modifiedAt: created.time,
      media: [],
      isOwn: actor === urnOf(account),
    }));
    return pageOf(entries, Number(cursor));
  },
});
