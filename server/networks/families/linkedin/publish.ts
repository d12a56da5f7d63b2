import { Readable } from 'node:stream';
import { littleText } from '#server/networks/little-text';
import {
  type NetworkAccount,
  type NetworkPost,
  type Preparation,
  type PublishMedia,
  ready,
  type SendEnd,
  type Sending,
  type Sent,
  type Site,
  sent,
  waiting,
} from '#server/networks/network';
import { pollIn } from '#server/networks/poll';
import type { NetworkAnswer } from '#server/networks/request';
import { toPictureBook } from '#server/networks/shared/picture-pdf';
import { isOn, option } from '#server/networks/shared/post';
import { isSince } from '#server/networks/shared/recent';
import { NetworkTrouble } from '#server/networks/trouble';
import { call, postUrn, troubleOf } from './api.ts';
import { documentTitle, isPictureBook, pollDurations } from './limits.ts';
import { isVideoUrn, stillProcessing, uploadMedia } from './media.ts';

/** How long to wait for an image whose state cannot be read. Other clients advise this, LinkedIn does not. */
const processingMs = 10_000;

export interface Prepared {
  readonly media: readonly { readonly id: string; readonly alt: string; readonly title?: string }[];
  /** The image of a link card. */
  readonly thumbnail?: string;
  /** Media that LinkedIn is still processing, as far as it says. */
  readonly processing: readonly string[];
  /** The post was searched for once and not found; the list may lag. */
  readonly missed?: true;
}

export const nothing: Prepared = { media: [], processing: [] };

type File = Pick<PublishMedia, 'kind' | 'bytes' | 'read' | 'alt'>;

interface Author {
  /** How option keys begin. */
  readonly network: string;
  urnOf(account: NetworkAccount): string;
  /** Whether the author can read the state of an image. That of a video can always be read. */
  readonly tellsImages: boolean;
  visibilityOf(post: NetworkPost): string;
}

export const createPublishing = ({ network, urnOf, tellsImages, visibilityOf }: Author) => {
  const thumbnailOf = ({ post }: Sending) => post.optionFiles?.[`${network}.link_thumbnail`];

  /** The files of the part, or one document made from its pictures. */
  const filesOf = async ({ index, part, post }: Sending): Promise<readonly File[]> => {
    if (index > 0 || !isPictureBook(network, post)) return part.media;
    const bytes = await toPictureBook(documentTitle(network, post), part.media);
    if (bytes === undefined) {
      throw new NetworkTrouble('media', 'A picture cannot be read, so it cannot become a page: choose another.');
    }
    return [{ kind: 'Document', bytes: bytes.length, read: async () => Readable.from([bytes]) }];
  };

  const uploadAll = async (site: Site, sending: Sending): Promise<Prepared> => {
    const { account, post } = sending;
    const media: Prepared['media'][number][] = [];
    for (const file of await filesOf(sending)) {
      const id = await uploadMedia(site, account, urnOf(account), file);
      const title = file.kind === 'Document' ? documentTitle(network, post) : '';
      media.push({ id, alt: file.kind === 'Image' ? (file.alt ?? '') : '', ...(title !== '' && { title }) });
    }
    const picture = thumbnailOf(sending);
    const thumbnail = picture && (await uploadMedia(site, account, urnOf(account), picture));
    const all = [...media.map(({ id }) => id), ...(thumbnail ? [thumbnail] : [])];
    const processing = all.filter((id) => tellsImages || isVideoUrn(id));
    return { media, processing, ...(thumbnail && { thumbnail }) };
  };

  return {
    prepare: async (site: Site, sending: Sending, checkpoint?: Prepared): Promise<Preparation<Prepared>> => {
      if (sending.part.media.length === 0 && thumbnailOf(sending) === undefined) return ready(nothing);
      if (checkpoint === undefined) return waiting(await uploadAll(site, sending), processingMs);
      const processing = await stillProcessing(site, sending.account, checkpoint.processing);
      const now = { ...checkpoint, processing };
      return processing.length > 0 ? waiting(now, processingMs) : ready(now);
    },

    send: async (site: Site, sending: Sending, prepared: Prepared): Promise<SendEnd<Prepared>> => {
      const { account, post, part } = sending;
      const content = contentOf(network, post, prepared);
      const answer = await call(site, account, {
        path: '/rest/posts',
        json: {
          author: urnOf(account),
          commentary: littleText(part.body),
          visibility: visibilityOf(post),
          distribution: { feedDistribution: 'MAIN_FEED', targetEntities: [], thirdPartyDistributionChannels: [] },
          ...(content && { content }),
          lifecycleState: 'PUBLISHED',
          isReshareDisabledByAuthor: isOn(post, `${network}.disable_reshare`),
        },
      });
      if (answer.status < 400) return sent(asSent(site, madeId(answer)));
      const trouble = troubleOf(site, answer);
      const twin = trouble.networkCode === 'DUPLICATE_POST' ? postUrn.exec(trouble.message)?.[0] : undefined;
      if (twin !== undefined && isSince(madeAt(twin), sending.since)) return sent(asSent(site, twin));
      throw trouble;
    },
  };
};

/**
 * LinkedIn's ids begin with the time in milliseconds. A duplicate since this send began is our own post, whose answer
 * was lost.
 */
const madeAt = (urn: string) => Number(BigInt(urn.split(':').at(-1) ?? 0) >> 22n);

const contentOf = (network: string, post: NetworkPost, { media, thumbnail }: Prepared) => {
  const [first, ...others] = media.map(({ id, alt, title }) => ({
    id,
    ...(title !== undefined && { title }),
    ...(alt !== '' && { altText: alt }),
  }));
  if (first) return others.length > 0 ? { multiImage: { images: [first, ...others] } } : { media: first };
  const poll = pollIn(post, `${network}.poll`);
  if (poll) {
    const question = option(post, `${network}.poll_question`).trim();
    const duration = pollDurations.get(poll.durationMinutes);
    return { poll: { question, options: poll.choices.map((text) => ({ text })), settings: { duration } } };
  }
  const source = option(post, `${network}.link_url`);
  if (source === '') return undefined;
  const title = option(post, `${network}.link_title`) || source;
  return { article: { source, title, ...(thumbnail !== undefined && { thumbnail }) } };
};

/** LinkedIn returns the new id in a header; the body is empty. */
export const madeId = ({ headers, status }: NetworkAnswer): string => {
  const id = headers['x-restli-id'];
  if (id) return id;
  throw new NetworkTrouble('unknown', `LinkedIn gave an answer that is not understood (HTTP ${status}).`, {
    networkCode: String(status),
  });
};

export const permalink = (site: Site, urn: string): string => `${site.link('web')}/feed/update/${urn}/`;

export const asSent = (site: Site, urn: string): Sent => ({ externalId: urn, url: permalink(site, urn) });
