import type { Post, Version } from '#contracts/posts';
import type { Constraints } from '#contracts/providers';
import type { Caller } from '#server/context';
import { createYieldToEventLoop, type YieldToEventLoop } from '#server/jobs/yield-to-event-loop';
import { type FitTarget, fitTypes } from '#server/media/fit-image';
import {
  type FitRefusal,
  fittedMedia,
  type MadeRendition,
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

/** What an account gets in the place of pictures of the post, by the id of each. */
export interface Fit {
  readonly made: ReadonlyMap<string, MadeRendition>;
  readonly refused: ReadonlyMap<string, FitRefusal>;
  /** Not made yet. */
  readonly wanted: readonly Wish[];
}

/** Of a post, by account. */
export type Fits = ReadonlyMap<string, Fit>;

export interface PublishContext {
  /** The network of each account that is still connected, and what that told about the account. */
  readonly networkOf: (accountId: string) => { readonly network: Network; readonly facts: Json } | undefined;
  readonly media: ReadonlyMap<string, NetworkMedia>;
}

/** What of a post decides how its pictures are fitted. */
export interface FittablePost extends Pick<Post, 'id' | 'status'> {
  readonly accountIds: readonly string[];
  readonly versions: readonly Version[];
}

export type Fitting = ReturnType<typeof createFitting>;

/** Which pictures go out fitted, and to whom. */
export const createFitting = ({ renditions }: { renditions: Renditions }) => ({
  /**
   * What is to go out, as of now. `kept` are posts whose time has been decided: what a person saw then is what they go out
   * with, whatever the limits have become.
   */
  of: async (
    posts: readonly FittablePost[],
    context: PublishContext & Pick<Caller, 'workspaceId'>,
    { kept = isDecided } = {},
  ): Promise<ReadonlyMap<string, Fits>> => {
    const turn = createYieldToEventLoop();
    const wishes = new Map<string, ReadonlyMap<string, readonly Wish[]>>();
    for (const post of posts) if (!kept(post)) wishes.set(post.id, await wishesOf(post, context, turn));
    const all = [...wishes.values()].flatMap((byAccount) => [...byAccount.values()].flat());
    const asked = posts.filter((post) => kept(post) || (wishes.get(post.id)?.size ?? 0) > 0).map(({ id }) => id);
    const before = new Map<string, PostRendition[]>();
    for (const row of asked.length === 0 ? [] : await renditions.ofPosts(context.workspaceId, asked)) {
      const place = `${row.postId} ${row.accountId}`;
      const rows = before.get(place);
      if (rows) rows.push(row);
      else before.set(place, [row]);
    }
    const found = await renditions.find(context.workspaceId, all);
    return new Map(
      posts.map((post) => [
        post.id,
        new Map(
          post.accountIds.map((accountId): [string, Fit] => {
            const rows = before.get(`${post.id} ${accountId}`) ?? [];
            if (kept(post)) return [accountId, { ...nothing, made: new Map(rows.map((row) => [row.mediaId, row])) }];
            const whole = rows.filter(({ lost }) => !lost);
            return [accountId, toFit(wishes.get(post.id)?.get(accountId) ?? [], whole, found)];
          }),
        ),
      ]),
    );
  },

  make: renditions.make,

  /** Inside the transaction in which a person is asked, or decides: from here on the post goes out so. */
  keep: (workspaceId: string, postId: string, fits: Fits) =>
    renditions.keepForPost(
      workspaceId,
      postId,
      [...fits].flatMap(([accountId, { made }]) =>
        [...made].map(([mediaId, { id }]) => ({ accountId, mediaId, renditionId: id })),
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
    const found = shared.get(key) ?? wishesFor(network, outgoing.post, facts);
    shared.set(key, found);
    if (found.length > 0) wishes.set(accountId, found);
    await turn();
  }
  return wishes;
};

/** The pictures that break limits of the account, where its option says what to do about that. */
const wishesFor = (network: Network, post: NetworkPost, facts: Json): Wish[] => {
  const { media: limits, thread } = network.constraintsFor(post, facts);
  const mode = fitModes.find((one) => one === post.options[fitKey(network)]);
  if (mode === undefined || limits.images === undefined) return [];
  const target = targetText(targetOf(limits.images));
  // What is too much is refused anyway.
  const items = post.items.slice(0, thread.form === 'Comments' ? 1 : thread.max);
  const files = new Map(items.flatMap(({ media }) => media.slice(0, limits.max)).map((file) => [file.id, file]));
  return [...files.values()].flatMap((file) => {
    const problems = fileProblems(file, '', limits);
    if (!modesFor(file, problems, limits).includes(mode)) return [];
    // Where the shape is fine, all modes do the same.
    const isMisshapen = problems.some(({ code }) => code === 'MediaRatio');
    return [{ mediaId: file.id, mode: isMisshapen ? mode : 'shrink', target }];
  });
};

/** The modes that would mend all that is wrong with a picture. */
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

/** What was kept serves again while it is for the same target, also after a change of the recipe. */
const toFit = (wishes: readonly Wish[], kept: readonly Rendition[], found: ReadonlyMap<string, Rendition>): Fit => {
  const before = new Map(kept.map((row) => [wishKey(row), row]));
  const rowFor = (wish: Wish) => before.get(wishKey(wish)) ?? found.get(wishKey(wish));
  const rows = wishes.flatMap((wish) => rowFor(wish) ?? []);
  return {
    made: new Map(rows.flatMap((row) => (row.refused === null ? [[row.mediaId, row] as const] : []))),
    refused: new Map(rows.flatMap((row) => (row.refused === null ? [] : [[row.mediaId, row.refused] as const]))),
    wanted: wishes.filter((wish) => rowFor(wish) === undefined),
  };
};

/** Renditions in the place of the pictures they were made of. */
export const mediaWith = (
  media: ReadonlyMap<string, NetworkMedia>,
  { made }: Fit = nothing,
): ReadonlyMap<string, NetworkMedia> =>
  made.size === 0
    ? media
    : new Map([...media, ...[...made].map(([id, row]) => [id, fittedMedia(row, media.get(id))] as const)]);

const nothing: Fit = { made: new Map(), refused: new Map(), wanted: [] };

/** The code of an issue that ends once the picture is fitted. */
export const unfitted = 'MediaFitting';

/** What is wrong with a picture, and how the option of the network would help, or why it cannot. */
export const withAdvice = (
  network: Network,
  { options }: NetworkPost,
  file: NetworkMedia,
  problems: readonly Problem[],
  limits: Constraints['media'],
  { wanted, refused }: Fit = nothing,
): readonly Problem[] => {
  const key = fitKey(network);
  const modes = modesFor(file, problems, limits);
  const [first] = problems;
  if (first === undefined || modes.length === 0 || network.options.every((one) => one.key !== key)) return problems;
  if (wanted.some(({ mediaId }) => mediaId === file.id)) {
    const message = 'This picture is still being fitted. Try again in a moment.';
    return [{ path: first.path, code: unfitted, message }];
  }
  const told = (tell: (problem: Problem) => Partial<Problem>) =>
    problems.map((problem) => (problem.code === 'AltTooLong' ? problem : { ...problem, ...tell(problem) }));
  const why = refused.get(file.id);
  if (why !== undefined) return told(({ message }) => ({ message: `${message} ${whyNot[why](key)}` }));
  if (modes.some((mode) => mode === options[key])) {
    return told(({ message }) => ({
      message: `${message} ${key} fits it when the post is scheduled or published again.`,
    }));
  }
  // Most of them are animated.
  if (file.mimeType === 'image/gif') return problems;
  const values = modes.includes('shrink') ? ['shrink'] : modes;
  return told(({ message }) => ({
    message: `${message.replace(/\.$/, '')}, or set ${key} to ${values.join(' or ')}.`,
    fix: { key, values },
  }));
};

const whyNot: Record<FitRefusal, (key: string) => string> = {
  Animated: (key) => `${key} leaves animated pictures as they are.`,
  TooSmall: (key) => `${key} cannot help: the picture would become too small.`,
};

/** What people see of pictures that are fitted. */
export const fitNotes = (
  network: Network,
  { items }: NetworkPost,
  media: ReadonlyMap<string, NetworkMedia>,
  { made }: Fit = nothing,
): Problem[] =>
  items.flatMap((item, i) =>
    item.media.flatMap(({ fitted, mimeType, width, height }, j) => {
      const row = fitted && made.get(fitted.of);
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

/** `3:4`, or `1.91:1` where there is no such name. */
const ratioOf = (ratio: number) => {
  const low = [1, 2, 3, 4, 5, 9, 16].find((one) => Math.abs(Math.round(ratio * one) / one - ratio) < 0.003);
  if (low !== undefined && ratio * low >= 0.5) return `${Math.round(ratio * low)}:${low}`;
  return ratio < 1 ? `1:${Number((1 / ratio).toFixed(2))}` : `${Number(ratio.toFixed(2))}:1`;
};
