import type { Post, Version } from '#contracts/posts';
import type { Constraints } from '#contracts/providers';
import type { Caller } from '#server/context';
import { createYieldToEventLoop, type YieldToEventLoop } from '#server/jobs/yield-to-event-loop';
import { type FitTarget, fitTypes } from '#server/media/fit-image';
import {
  type FinishedRendition,
  type FitRefusal,
  fittedMedia,
  type PostRendition,
  type Rendition,
  type Renditions,
  targetText,
  type Wish,
  wishKey,
} from '#server/media/renditions';
import { type FitMode, fitKey, fitModes } from '#server/networks/fit';
import type { Json, Network, NetworkMedia, NetworkPost, Problem } from '#server/networks/network';
import { fileProblems } from './file-limits.ts';
import { outgoingTo } from './outgoing.ts';

/** What an account gets instead of the pictures of the post, by media id. */
export interface Fit {
  readonly finished: ReadonlyMap<string, FinishedRendition>;
  readonly refused: ReadonlyMap<string, FitRefusal>;
  /** Not rendered yet. */
  readonly pending: readonly Wish[];
}

/** By account id. */
export type Fits = ReadonlyMap<string, Fit>;

export interface PublishContext {
  /** The network of a connected account, and the facts it reported about the account. */
  readonly networkOf: (accountId: string) => { readonly network: Network; readonly facts: Json } | undefined;
  readonly media: ReadonlyMap<string, NetworkMedia>;
}

/** The parts of a post that decide how its pictures are fitted. */
export interface FittablePost extends Pick<Post, 'id' | 'status'> {
  readonly accountIds: readonly string[];
  readonly versions: readonly Version[];
}

export type Fitting = ReturnType<typeof createFitting>;

/** Decides which pictures each account gets in a fitted form. */
export const createFitting = ({ renditions }: { renditions: Renditions }) => ({
  /**
   * The fits of posts as of now. For a decided post they are frozen: it is published with the pictures that a person saw,
   * even if the limits of the network have changed since.
   */
  of: async (
    posts: readonly FittablePost[],
    context: PublishContext & Pick<Caller, 'workspaceId'>,
    { isFrozen = isDecided } = {},
  ): Promise<ReadonlyMap<string, Fits>> => {
    const turn = createYieldToEventLoop();
    const wishes = new Map<string, ReadonlyMap<string, readonly Wish[]>>();
    for (const post of posts) if (!isFrozen(post)) wishes.set(post.id, await wishesOf(post, context, turn));
    const all = [...wishes.values()].flatMap((byAccount) => [...byAccount.values()].flat());
    const postIds = posts.filter((post) => isFrozen(post) || (wishes.get(post.id)?.size ?? 0) > 0).map(({ id }) => id);
    const stored = new Map<string, PostRendition[]>();
    for (const row of postIds.length === 0 ? [] : await renditions.ofPosts(context.workspaceId, postIds)) {
      const place = `${row.postId} ${row.accountId}`;
      const rows = stored.get(place);
      if (rows) rows.push(row);
      else stored.set(place, [row]);
    }
    const available = await renditions.find(context.workspaceId, all);
    return new Map(
      posts.map((post) => [
        post.id,
        new Map(
          post.accountIds.map((accountId): [string, Fit] => {
            const rows = stored.get(`${post.id} ${accountId}`) ?? [];
            if (isFrozen(post))
              return [accountId, { ...noFit, finished: new Map(rows.map((row) => [row.mediaId, row])) }];
            const intact = rows.filter(({ lost }) => !lost);
            return [accountId, toFit(wishes.get(post.id)?.get(accountId) ?? [], intact, available)];
          }),
        ),
      ]),
    );
  },

  make: renditions.make,

  /** Freezes the fits. Inside the transaction in which a person is asked for approval, or decides. */
  keep: (workspaceId: string, postId: string, fits: Fits) =>
    renditions.keepForPost(
      workspaceId,
      postId,
      [...fits].flatMap(([accountId, { finished }]) =>
        [...finished].map(([mediaId, { id }]) => ({ accountId, mediaId, renditionId: id })),
      ),
    ),
});

const isDecided = ({ status }: Pick<Post, 'status'>) => !['Draft', 'Failed'].includes(status);

/** Whether an option of the post asks for fitted pictures. */
export const asksForFit = ({ versions }: FittablePost) =>
  versions.some(({ options }) => Object.keys(options).some((key) => key.endsWith('.fit')));

const wishesOf = async (post: FittablePost, { networkOf, media }: PublishContext, turn: YieldToEventLoop) => {
  const wishes = new Map<string, readonly Wish[]>();
  const shared = new Map<string, readonly Wish[]>();
  if (!asksForFit(post)) return wishes;
  for (const accountId of post.accountIds) {
    const { network, facts = null } = networkOf(accountId) ?? {};
    if (network === undefined) continue;
    const outgoing = outgoingTo(network, post.versions, accountId, media);
    const key = `${network.key} ${outgoing.version} ${JSON.stringify(facts)}`;
    const accountWishes = shared.get(key) ?? wishesFor(network, outgoing.post, facts);
    shared.set(key, accountWishes);
    if (accountWishes.length > 0) wishes.set(accountId, accountWishes);
    await turn();
  }
  return wishes;
};

/** The pictures that break limits of the account, if its fit option can fix them. */
const wishesFor = (network: Network, post: NetworkPost, facts: Json): Wish[] => {
  const { media: limits, thread } = network.constraintsFor(post, facts);
  const mode = fitModes.find((one) => one === post.options[fitKey(network)]);
  if (mode === undefined || limits.images === undefined) return [];
  const target = targetText(targetOf(limits.images));
  // Items and files beyond the limits are refused anyway.
  const items = post.items.slice(0, thread.form === 'Comments' ? 1 : thread.max);
  const files = new Map(items.flatMap(({ media }) => media.slice(0, limits.max)).map((file) => [file.id, file]));
  return [...files.values()].flatMap((file) => {
    const problems = fileProblems(file, '', limits);
    if (!modesFor(file, problems, limits).includes(mode)) return [];
    // Only the ratio distinguishes the modes: without that problem they all shrink.
    const isMisshapen = problems.some(({ code }) => code === 'MediaRatio');
    return [{ mediaId: file.id, mode: isMisshapen ? mode : 'shrink', target }];
  });
};

/** The modes that would fix all problems of a picture. */
const modesFor = (file: NetworkMedia, problems: readonly Problem[], { images }: Constraints['media']): FitMode[] => {
  const codes = problems.map(({ code }) => code).filter((code) => code !== 'AltTooLong');
  if (file.kind !== 'Image' || images === undefined || codes.length === 0) return [];
  if (targetOf(images).mimeTypes.length === 0) return [];
  if (codes.every((code) => ['MediaType', 'MediaTooLarge'].includes(code))) return [...fitModes];
  return codes.every((code) => ['MediaType', 'MediaTooLarge', 'MediaRatio'].includes(code)) ? ['pad', 'crop'] : [];
};

const targetOf = ({
  mimeTypes,
  maxBytes,
  maxPixels,
  minRatio,
  maxRatio,
  minWidth,
  minHeight,
}: NonNullable<Constraints['media']['images']>): FitTarget => ({
  mimeTypes: fitTypes.filter((type) => mimeTypes.includes(type)),
  maxBytes,
  maxPixels,
  minRatio,
  maxRatio,
  minWidth,
  minHeight,
});

/** A stored rendition is reused while the target is the same, also after the fitting code changed. */
const toFit = (
  wishes: readonly Wish[],
  stored: readonly Rendition[],
  available: ReadonlyMap<string, Rendition>,
): Fit => {
  const storedByKey = new Map(stored.map((row) => [wishKey(row), row]));
  const rowFor = (wish: Wish) => storedByKey.get(wishKey(wish)) ?? available.get(wishKey(wish));
  const rows = wishes.flatMap((wish) => rowFor(wish) ?? []);
  return {
    finished: new Map(rows.flatMap((row) => (row.refused === null ? [[row.mediaId, row] as const] : []))),
    refused: new Map(rows.flatMap((row) => (row.refused === null ? [] : [[row.mediaId, row.refused] as const]))),
    pending: wishes.filter((wish) => rowFor(wish) === undefined),
  };
};

/** The media with renditions in the place of their originals. */
export const mediaWith = (
  media: ReadonlyMap<string, NetworkMedia>,
  { finished }: Fit = noFit,
): ReadonlyMap<string, NetworkMedia> =>
  finished.size === 0
    ? media
    : new Map([...media, ...[...finished].map(([id, row]) => [id, fittedMedia(row, media.get(id))] as const)]);

const noFit: Fit = { finished: new Map(), refused: new Map(), pending: [] };

/** The code of the issue that lasts until the picture is fitted. */
export const unfitted = 'MediaFitting';

/** The problems of a picture, with how the fit option of the network would help, or why it cannot. */
export const withAdvice = (
  network: Network,
  { options }: NetworkPost,
  file: NetworkMedia,
  problems: readonly Problem[],
  limits: Constraints['media'],
  { pending, refused }: Fit = noFit,
): readonly Problem[] => {
  const key = fitKey(network);
  const modes = modesFor(file, problems, limits);
  const [first] = problems;
  if (first === undefined || modes.length === 0 || network.options.every((one) => one.key !== key)) return problems;
  if (pending.some(({ mediaId }) => mediaId === file.id)) {
    const message = 'This picture is still being fitted. Try again in a moment.';
    return [{ path: first.path, code: unfitted, message }];
  }
  const adviseAll = (advise: (problem: Problem) => Partial<Problem>) =>
    problems.map((problem) => (problem.code === 'AltTooLong' ? problem : { ...problem, ...advise(problem) }));
  const why = refused.get(file.id);
  if (why !== undefined) return adviseAll(({ message }) => ({ message: `${message} ${whyNot[why](key)}` }));
  if (modes.some((mode) => mode === options[key])) {
    return adviseAll(({ message }) => ({
      message: `${message} ${key} fits it when the post is scheduled or published again.`,
    }));
  }
  // Most GIFs are animated, and those cannot be fitted.
  if (file.mimeType === 'image/gif') return problems;
  const values = modes.includes('shrink') ? ['shrink'] : modes;
  return adviseAll(({ message }) => ({
    message: `${message.replace(/\.$/, '')}, or set ${key} to ${values.join(' or ')}.`,
    fix: { key, values },
  }));
};

const whyNot: Record<FitRefusal, (key: string) => string> = {
  Animated: (key) => `${key} leaves animated pictures as they are.`,
  TooSmall: (key) => `${key} cannot help: the picture would become too small.`,
};

/** Tells people how their pictures will be changed. */
export const fitNotes = (
  network: Network,
  { items }: NetworkPost,
  media: ReadonlyMap<string, NetworkMedia>,
  { finished }: Fit = noFit,
): Problem[] =>
  items.flatMap((item, i) =>
    item.media.flatMap(({ fitted, mimeType, width, height }, j) => {
      const row = fitted && finished.get(fitted.of);
      const original = fitted && media.get(fitted.of);
      if (row === undefined || original === undefined) return [];
      const picture = `Picture ${j + 1}${items.length > 1 ? ` of item ${i + 1}` : ''}`;
      const type = mimeType.replace('image/', '').toUpperCase();
      const how = {
        crop: `cropped to ${ratioOf(width / height)}`,
        pad: `with white borders, at ${ratioOf(width / height)}`,
        shrink: width < original.width ? 'made smaller' : mimeType === original.mimeType ? 'compressed' : 'converted',
      }[row.mode];
      const message = `${picture} goes to ${network.name} ${how}: ${type}, ${width} × ${height} pixels.`;
      return [{ path: `content.${i}.media.${j}`, code: 'MediaFitted', message }];
    }),
  );

/** `3:4`, or `1.91:1` when no small integers match. */
const ratioOf = (ratio: number) => {
  const low = [1, 2, 3, 4, 5, 9, 16].find((one) => Math.abs(Math.round(ratio * one) / one - ratio) < 0.003);
  if (low !== undefined && ratio * low >= 0.5) return `${Math.round(ratio * low)}:${low}`;
  return ratio < 1 ? `1:${Number((1 / ratio).toFixed(2))}` : `${Number(ratio.toFixed(2))}:1`;
};
