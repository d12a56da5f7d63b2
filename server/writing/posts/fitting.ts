import type { Post, Version } from '#contracts/posts';
import type { Constraints } from '#contracts/providers';
import { bounds } from '#server/base/bounds';
import type { Caller } from '#server/base/context';
import { createYieldToEventLoop, type YieldToEventLoop } from '#server/base/jobs/yield-to-event-loop';
import { type FitTarget, fitTypes } from '#server/media/fit-image';
import { type FitRequest, isVideoFit, requestKey, targetText, videoTargetText } from '#server/media/fit-request';
import { audioCodec, type FitRefusal, videoCodec, videoType } from '#server/media/fit-video';
import {
  type FinishedFile,
  type FittedFile,
  type FittedFiles,
  fittedMedia,
  type PostFile,
} from '#server/media/fitted-files';
import { cutKey, type FitMode, fitKey, fitModes } from '#server/networks/fit';
import type { Json, Network, NetworkMedia, NetworkPost, Problem } from '#server/networks/network';
import { fileProblems } from './file-problems.ts';
import { outgoingTo } from './outgoing.ts';

/** The fitted files that an account gets instead of the post's files, by media id. */
export interface Fit {
  readonly finished: ReadonlyMap<string, FinishedFile>;
  readonly refused: ReadonlyMap<string, FitRefusal>;
  /** Not made yet. */
  readonly pending: readonly FitRequest[];
  /** All requests, finished or not. */
  readonly requests: readonly FitRequest[];
  /** Progress of running conversions in percent, by `requestKey`. */
  readonly percents: ReadonlyMap<string, number | null>;
  /** Whether a pending video can be queued. */
  readonly hasRoom: boolean;
  /** Whether this server can convert videos: ffmpeg is installed. */
  readonly canFitVideos: boolean;
}

/** By account id. */
export type Fits = ReadonlyMap<string, Fit>;

export interface PublishContext {
  /** The network of a connected account, and the facts it reported about the account. */
  readonly networkOf: (accountId: string) => { readonly network: Network; readonly facts: Json } | undefined;
  readonly media: ReadonlyMap<string, NetworkMedia>;
}

/** The parts of a post that decide how its files are fitted. */
export interface FittablePost extends Pick<Post, 'id' | 'status'> {
  readonly accountIds: readonly string[];
  readonly versions: readonly Version[];
}

export type Fitting = ReturnType<typeof createFitting>;

/** Which files go out fitted, and to whom. */
export const createFitting = ({ fittedFiles }: { fittedFiles: FittedFiles }) => ({
  /**
   * The fits of posts as of now. For a decided post they are frozen: it is published with the pictures that a person saw,
   * even if the limits of the network have changed since.
   */
  of: async (
    posts: readonly FittablePost[],
    context: PublishContext & Pick<Caller, 'workspaceId'>,
    { isFrozen = isDecided } = {},
  ): Promise<ReadonlyMap<string, Fits>> => {
    const yieldToEventLoop = createYieldToEventLoop();
    const requests = new Map<string, ReadonlyMap<string, readonly FitRequest[]>>();
    // The first call waits for ffmpeg to start, so skip it if no file moves.
    const canFitVideos = ![...context.media.values()].some(isMoving) || (await fittedFiles.canFitVideos());
    for (const post of posts)
      if (!isFrozen(post)) requests.set(post.id, await fitRequestsOf(post, context, canFitVideos, yieldToEventLoop));
    const all = [...requests.values()].flatMap((byAccount) => [...byAccount.values()].flat());
    const postIds = posts
      .filter((post) => isFrozen(post) || (requests.get(post.id)?.size ?? 0) > 0)
      .map(({ id }) => id);
    const stored = new Map<string, PostFile[]>();
    for (const row of postIds.length === 0 ? [] : await fittedFiles.ofPosts(context.workspaceId, postIds)) {
      const place = `${row.postId} ${row.accountId}`;
      const rows = stored.get(place);
      if (rows) rows.push(row);
      else stored.set(place, [row]);
    }
    const available = await fittedFiles.find(context.workspaceId, all);
    const missing = all.filter((request) => !available.has(requestKey(request)));
    const percents = await fittedFiles.percents(context.workspaceId, missing);
    const isQueued = (request: FitRequest) => !isVideoFit(request) || percents.has(requestKey(request));
    const hasRoom = missing.every(isQueued) || (await fittedFiles.hasRoom(context.workspaceId));
    return new Map(
      posts.map((post) => [
        post.id,
        new Map(
          post.accountIds.map((accountId): [string, Fit] => {
            const rows = stored.get(`${post.id} ${accountId}`) ?? [];
            if (isFrozen(post))
              return [accountId, { ...noFit, finished: new Map(rows.map((row) => [row.mediaId, row])) }];
            const intact = rows.filter(({ lost }) => !lost);
            const own = requests.get(post.id)?.get(accountId) ?? [];
            return [accountId, { ...toFit(own, intact, available), percents, hasRoom, canFitVideos }];
          }),
        ),
      ]),
    );
  },

  make: fittedFiles.make,

  begin: fittedFiles.begin,

  /** While a person is asked, or decides. From then on the post is published with these fitted files. */
  keep: (workspaceId: string, postId: string, fits: Fits) =>
    fittedFiles.keepForPost(
      workspaceId,
      postId,
      [...fits].flatMap(([accountId, { finished }]) =>
        [...finished].map(([mediaId, { id }]) => ({ accountId, mediaId, fittedId: id })),
      ),
    ),
});

const isMoving = (file: NetworkMedia) => file.kind === 'Video' || isAnimatedGif(file);

const isDecided = ({ status }: Pick<Post, 'status'>) => !['Draft', 'Failed'].includes(status);

/** Whether an option of the post asks for fitted files. */
export const asksForFit = ({ versions }: FittablePost) =>
  versions.some(({ options }) => Object.keys(options).some((key) => /\.(fit|cut)$/.test(key)));

const fitRequestsOf = async (
  post: FittablePost,
  { networkOf, media }: PublishContext,
  canFitVideos: boolean,
  yieldToEventLoop: YieldToEventLoop,
) => {
  const requests = new Map<string, readonly FitRequest[]>();
  const shared = new Map<string, readonly FitRequest[]>();
  if (!asksForFit(post)) return requests;
  for (const accountId of post.accountIds) {
    const { network, facts = null } = networkOf(accountId) ?? {};
    if (network === undefined) continue;
    const outgoing = outgoingTo(network, post.versions, accountId, media);
    const key = `${network.key} ${outgoing.version} ${JSON.stringify(facts)}`;
    const available =
      shared.get(key) ??
      fitRequestsFor(network, outgoing.post, facts).filter((request) => canFitVideos || !isVideoFit(request));
    shared.set(key, available);
    if (available.length > 0) requests.set(accountId, available);
    await yieldToEventLoop();
  }
  return requests;
};

/** The files that break limits of the account, where its options say what to do about that. */
const fitRequestsFor = (network: Network, post: NetworkPost, facts: Json): FitRequest[] => {
  const { media: limits, thread } = network.constraintsFor(post, facts);
  const mode = modeOf(network, post);
  if (mode === undefined) return [];
  // Files beyond the network's limits are refused anyway.
  const items = post.items.slice(0, thread.form === 'Comments' ? 1 : thread.max);
  const files = new Map(items.flatMap(({ media }) => media.slice(0, limits.max)).map((file) => [file.id, file]));
  return [...files.values()].flatMap((file) => {
    const plan = planFor(network, post, facts, file, fileProblems(file, '', limits));
    if (!plan?.modes.includes(mode)) return [];
    // Where the shape is fine, all modes do the same.
    return [{ mediaId: file.id, mode: plan.isMisshapen ? mode : 'shrink', target: plan.target }];
  });
};

/** Cutting changes only the length of a video, so without a fit option the mode is `shrink`, which keeps the shape. */
const modeOf = (network: Network, { options }: NetworkPost): FitMode | undefined =>
  fitModes.find((one) => one === options[fitKey(network)]) ??
  (options[cutKey(network)] === 'true' ? 'shrink' : undefined);

/** How a file can be fitted. */
interface Plan {
  /** The modes that solve all its problems; empty if none does. */
  readonly modes: readonly FitMode[];
  readonly target: string;
  readonly isMisshapen: boolean;
}

const planFor = (
  network: Network,
  post: NetworkPost,
  facts: Json,
  file: NetworkMedia,
  problems: readonly Problem[],
): Plan | undefined => {
  const codes = codesOf(problems);
  if (codes.length === 0 || file.kind === 'Document') return undefined;
  const { images, videos } = network.constraintsFor(post, facts).media;
  const isCut = post.options[cutKey(network)] === 'true';
  if (file.kind === 'Video') return videos && planForVideo(codes, videos, isCut ? { cutMs: videos.maxDurationMs } : {});
  if (isAnimatedGif(file)) return planForGif(network, post, facts, file);
  return images && planForPicture(codes, images);
};

const codesOf = (problems: readonly Problem[]) =>
  problems.map(({ code }) => code).filter((code) => code !== 'AltTooLong');

const planOf = (codes: readonly string[], mended: readonly string[], target: string): Plan => {
  const isMended = (more: readonly string[]) => codes.every((code) => [...mended, ...more].includes(code));
  const modes: readonly FitMode[] = isMended([]) ? fitModes : isMended(['MediaRatio']) ? ['pad', 'crop'] : [];
  return { modes, target, isMisshapen: codes.includes('MediaRatio') };
};

type Limits = Constraints['media'];

const planForPicture = (codes: readonly string[], images: NonNullable<Limits['images']>): Plan | undefined => {
  const target = targetOf(images);
  return target.mimeTypes.length === 0 ? undefined : planOf(codes, ['MediaType', 'MediaTooLarge'], targetText(target));
};

const planForVideo = (
  codes: readonly string[],
  { mimeTypes, videoCodecs, audioCodecs, ...limits }: NonNullable<Limits['videos']>,
  length: { readonly cutMs?: number | undefined; readonly repeatMs?: number | undefined },
): Plan | undefined => {
  const isTaken = (codec: string, codecs: readonly string[] | undefined) => codecs?.includes(codec) ?? true;
  if (!mimeTypes.includes(videoType) || !isTaken(videoCodec, videoCodecs) || !isTaken(audioCodec, audioCodecs)) return;
  const mended = ['MediaType', 'MediaTooLarge', 'VideoCodec', 'AudioCodec', 'FrameRate'];
  const { maxBytes, minRatio, maxRatio, maxWidth, maxFrameRate } = limits;
  const target = videoTargetText({
    maxBytes: Math.min(maxBytes, bounds.videoFitBytes),
    minRatio,
    maxRatio,
    maxWidth,
    maxFrameRate,
    ...length,
  });
  return planOf(codes, length.cutMs === undefined ? mended : [...mended, 'VideoTooLong'], target);
};

/** Only GIFs uploaded since Posthorn reads their duration have one; whether older ones are animated is unknown. */
const isAnimatedGif = ({ mimeType, durationMs }: NetworkMedia) => mimeType === 'image/gif' && durationMs !== undefined;

/** If the network does not accept the GIF as a picture, it goes out as a video, repeated until it is long enough. */
const planForGif = (network: Network, post: NetworkPost, facts: Json, gif: NetworkMedia): Plan | undefined => {
  const moving: NetworkMedia = { ...gif, kind: 'Video', mimeType: videoType, bytes: 0 };
  const items = post.items.map((item) => ({
    ...item,
    media: item.media.map((file) => (file.id === gif.id ? moving : file)),
  }));
  const { videos } = network.constraintsFor({ ...post, items }, facts).media;
  if (videos === undefined) return undefined;
  const repeatMs = videos.minDurationMs;
  const codes = codesOf(fileProblems(moving, '', { videos })).filter((code) => code !== 'VideoTooShort');
  return planForVideo(codes, videos, { repeatMs });
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

/** A stored fitted file is reused while the target is the same, even if the fitting code has changed. */
const toFit = (
  requests: readonly FitRequest[],
  stored: readonly FittedFile[],
  available: ReadonlyMap<string, FittedFile>,
): Fit => {
  const storedByKey = new Map(stored.map((row) => [requestKey(row), row]));
  const rowFor = (request: FitRequest) => storedByKey.get(requestKey(request)) ?? available.get(requestKey(request));
  const rows = requests.flatMap((request) => rowFor(request) ?? []);
  return {
    ...noFit,
    finished: new Map(rows.flatMap((row) => (row.refused === null ? [[row.mediaId, row] as const] : []))),
    refused: new Map(rows.flatMap((row) => (row.refused === null ? [] : [[row.mediaId, row.refused] as const]))),
    pending: requests.filter((request) => rowFor(request) === undefined),
    requests,
  };
};

/** The media with fitted files instead of their originals. */
export const mediaWith = (
  media: ReadonlyMap<string, NetworkMedia>,
  { finished }: Fit = noFit,
): ReadonlyMap<string, NetworkMedia> =>
  finished.size === 0
    ? media
    : new Map([...media, ...[...finished].map(([id, row]) => [id, fittedMedia(row, media.get(id))] as const)]);

const noFit: Fit = {
  finished: new Map(),
  refused: new Map(),
  pending: [],
  requests: [],
  percents: new Map(),
  hasRoom: true,
  canFitVideos: true,
};

/** The code of an issue that ends once the file is fitted. */
export const unfitted = 'MediaFitting';

/** What is wrong with a file, and how the options of the network would help, or why they cannot. */
export const withAdvice = (
  network: Network,
  post: NetworkPost,
  facts: Json,
  file: NetworkMedia,
  problems: readonly Problem[],
  fit: Fit = noFit,
): readonly Problem[] => {
  const { pending, refused, canFitVideos } = fit;
  const key = fitKey(network);
  const [first] = problems;
  if (first === undefined || network.options.every((one) => one.key !== key)) return problems;
  const request = pending.find(({ mediaId }) => mediaId === file.id);
  if (request) return [{ path: first.path, code: unfitted, message: stillFitting(request, fit) }];
  const tell = (advice: (problem: Problem) => Partial<Problem>) =>
    problems.map((problem) => (problem.code === 'AltTooLong' ? problem : { ...problem, ...advice(problem) }));
  const plan = planFor(network, post, facts, file, problems);
  const { modes, target }: Pick<Plan, 'modes' | 'target'> = plan ?? { modes: [], target: '' };
  if (modes.length === 0) return withCutAdvice(network, post, facts, file, problems, canFitVideos);
  const why = refused.get(file.id);
  if (why !== undefined) return tell(({ message }) => ({ message: `${message} ${whyNot[why](key)}` }));
  if (isVideoFit({ target }) && !canFitVideos) {
    return tell(({ message }) => ({
      message: `${message} ${key} could convert it, but this server has no ffmpeg: ask its operator to install that.`,
    }));
  }
  if (modes.some((mode) => mode === modeOf(network, post))) {
    return tell(({ message }) => ({
      message: `${message} ${key} fits it when the post is scheduled or published again.`,
    }));
  }
  // Most GIFs of unknown duration are animated, so advice for a still picture would be wrong.
  if (file.mimeType === 'image/gif' && !isAnimatedGif(file)) return problems;
  const values = modes.includes('shrink') ? ['shrink'] : [...modes];
  return tell(({ message }) => ({
    message: `${message.replace(/\.$/, '')}, or set ${key} to ${values.join(' or ')}.`,
    fix: { key, values },
  }));
};

const stillFitting = (request: FitRequest, { percents, hasRoom }: Fit) => {
  if (!isVideoFit(request)) return 'This picture is still being fitted. Try again in a moment.';
  const percent = percents.get(requestKey(request));
  if (percent === undefined && !hasRoom)
    return `${bounds.videoFits} videos of this workspace already wait to be prepared. Check the post again when some of them are done.`;
  const progress = percent == null ? '' : ` (${percent} %)`;
  return `The video for this account is being prepared${progress}. The post can go out when that is done.`;
};

/** A video that is too long stays as it is until somebody asks for the end to be cut off. */
const withCutAdvice = (
  network: Network,
  post: NetworkPost,
  facts: Json,
  file: NetworkMedia,
  problems: readonly Problem[],
  canFitVideos: boolean,
): readonly Problem[] => {
  const key = cutKey(network);
  const withCut = { ...post, options: { ...post.options, [key]: 'true' } };
  const isCut = post.options[key] === 'true';
  const isHelp = !isCut && canFitVideos && (planFor(network, withCut, facts, file, problems)?.modes.length ?? 0) > 0;
  if (!isHelp) return problems;
  return problems.map((problem) =>
    problem.code === 'VideoTooLong'
      ? {
          ...problem,
          message: `${problem.message.replace(/\.$/, '')}, or set ${key} to true.`,
          fix: { key, values: ['true'] },
        }
      : problem,
  );
};

const whyNot: Record<FitRefusal, (key: string) => string> = {
  Animated: (key) => `${key} leaves animated pictures as they are.`,
  TooSmall: (key) => `${key} cannot help: it would become too small.`,
  TooLong: (key) =>
    `${key} cannot help: at this length it would not fit into the bytes that are allowed. Use a shorter video.`,
  TooBig: (key) => `${key} cannot help: its pictures have too many pixels for this server.`,
  Broken: (key) => `${key} cannot help: the video cannot be read. Save it again and upload that.`,
  TookTooLong: (key) =>
    `${key} cannot help: converting it took too long on this server. Use a shorter or smaller video.`,
  Failed: (key) =>
    `${key} failed on this server several times. Ask its operator to look at the log, or convert the video.`,
};

/** Notes for people about how files were fitted. */
export const fitNotes = (
  network: Network,
  { items }: NetworkPost,
  media: ReadonlyMap<string, NetworkMedia>,
  { finished }: Fit = noFit,
): Problem[] =>
  items.flatMap((item, i) =>
    item.media.flatMap((file, j) => {
      const { fitted, kind, mimeType, width, height } = file;
      const row = fitted && finished.get(fitted.of);
      const original = fitted && media.get(fitted.of);
      if (row === undefined || original === undefined) return [];
      const name = `${kind === 'Video' ? 'Video' : 'Picture'} ${j + 1}${items.length > 1 ? ` of item ${i + 1}` : ''}`;
      const type = mimeType.replace(/^(image|video)\//, '').toUpperCase();
      const borders = kind === 'Video' ? 'black' : 'white';
      const how = {
        crop: `cropped to ${ratioOf(width / height)}`,
        pad: `with ${borders} borders, at ${ratioOf(width / height)}`,
        shrink: width < original.width ? 'made smaller' : mimeType === original.mimeType ? 'compressed' : 'converted',
      }[row.mode];
      const message = `${name} goes to ${network.name} ${how}: ${type}, ${width} × ${height} pixels${lengthNote(file, original)}.`;
      return [{ path: `content.${i}.media.${j}`, code: 'MediaFitted', message }];
    }),
  );

const lengthNote = ({ durationMs }: NetworkMedia, original: NetworkMedia) => {
  if (durationMs === undefined || original.durationMs === undefined || durationMs > original.durationMs - 500)
    return '';
  return `, cut to ${Math.round(durationMs / 1000)} seconds`;
};

/** `3:4`, or `1.91:1` where there is no such name. */
const ratioOf = (ratio: number) => {
  const low = [1, 2, 3, 4, 5, 9, 16].find((one) => Math.abs(Math.round(ratio * one) / one - ratio) < 0.003);
  if (low !== undefined && ratio * low >= 0.5) return `${Math.round(ratio * low)}:${low}`;
  return ratio < 1 ? `1:${Number((1 / ratio).toFixed(2))}` : `${Number(ratio.toFixed(2))}:1`;
};
