import { z } from 'zod';
import { ask, call, tooEarly, troubleOf } from '#server/networks/families/linkedin/api';
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
  unknown,
  waiting,
} from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { isSince, notAmong } from '#server/networks/shared/recent';

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

export const prepare = async (site: Site, sending: Sending, kept?: Prepared): Promise<Preparation<Prepared>> => {
  if (postUrn(sending) === undefined) return posts.prepare(site, sending, kept);
  const isFirst = sending.out.length === 1;
  return isFirst && kept === undefined ? waiting(nothing, settlingMs) : ready(nothing);
};

export const send = async (site: Site, sending: Sending, prepared: Prepared): Promise<SendEnd<Prepared>> => {
  const urn = postUrn(sending);
  if (urn === undefined) return posts.send(site, sending, prepared);
  const answer = await call(site, sending.account, {
    path: commentsPath(urn),
    json: { actor: urnOf(sending.account), object: urn, message: { text: sending.part.body } },
  });
  if (answer.status === 404) {
    throw tooEarly(site, 'LinkedIn does not find the post to comment on. Is it still there?', '404');
  }
  if (answer.status >= 400) throw troubleOf(site, answer);
  return sent(asComment(site, urn, madeId(answer)));
};

const commentsPath = (urn: string) => `/rest/socialActions/${encodeURIComponent(urn)}/comments`;

const asComment = (site: Site, urn: string, id: string) => ({ externalId: id, url: permalink(site, urn) });

/** LinkedIn gives no key to a post, so the last ones are compared. One without text is known by its media alone. */
export const confirm = async (site: Site, sending: Sending, prepared: Prepared): Promise<Confirmation<Prepared>> => {
  const urn = postUrn(sending);
  const written = urn === undefined ? await readPosts(site, sending) : await readComments(site, sending, urn);
  const alike = written.filter(
    ({ id, text, at, isOwn }) =>
      isOwn &&
      plainText(text) === plainText(littleText(sending.part.body)) &&
      isSince(at, sending.since) &&
      !sending.out.some(({ externalId }) => externalId === id),
  );
  const hasOurs = ({ media }: Written) => prepared.media.some(({ id }) => media.includes(id));
  const found = sending.part.body.trim() === '' ? alike.find(hasOurs) : alike[0];
  if (found) {
    const out = urn === undefined ? asSent(site, found.id) : asComment(site, urn, found.id);
    return sent({ ...out, publishedAt: new Date(found.at).toISOString() });
  }
  if (!prepared.missed) return waiting({ ...prepared, missed: true }, settlingMs);
  if (alike.length > 0) return unknown;
  const times = written.map(({ at }) => at);
  return notAmong(times, pageSize, sending.since);
};

interface Written {
  readonly id: string;
  /** As little text. */
  readonly text: string;
  readonly at: number;
  readonly media: readonly string[];
  /** Others comment, too. */
  readonly isOwn: boolean;
}

const File = z.object({ id: z.string() });

const Posts = z.object({
  elements: z.array(
    z.object({
      id: z.string(),
      commentary: z.string().default(''),
      createdAt: z.number(),
      content: z
        .object({ media: File.optional(), multiImage: z.object({ images: z.array(File) }).optional() })
        .optional(),
    }),
  ),
});

const readPosts = async (site: Site, { account }: Sending): Promise<Written[]> => {
  const answer = await ask(site, account, {
    path: '/rest/posts',
    query: { author: urnOf(account), q: 'author', count: pageSize, sortBy: 'LAST_MODIFIED' },
    headers: { 'X-RestLi-Method': 'FINDER' },
  });
  return shaped(Posts, answer).elements.map(({ id, commentary, createdAt, content }) => ({
    id,
    text: commentary,
    at: createdAt,
    media: [...(content?.media ? [content.media] : []), ...(content?.multiImage?.images ?? [])].map((file) => file.id),
    isOwn: true,
  }));
};

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

const readComments = async (site: Site, { account }: Sending, urn: string): Promise<Written[]> => {
  const answer = await call(site, account, { path: commentsPath(urn), query: { start: 0, count: pageSize } });
  // A post without comments may be answered like one that is gone.
  if (answer.status === 404) return [];
  if (answer.status >= 400) throw troubleOf(site, answer);
  return shaped(Comments, answer).elements.map(({ id, actor, created, message }) => ({
    id,
    text: littleText(message.text),
    at: created.time,
    media: [],
    isOwn: actor === urnOf(account),
  }));
};
