import { Instant } from '#contracts/define';
import type { Issue } from '#contracts/errors';
import type { Post } from '#contracts/posts';
import type { Constraints, Option } from '#contracts/providers';
import { bounds } from '#server/bounds';
import { codePoints, countedUpTo, countText } from '#server/networks/counting';
import type { Json, Network, NetworkItem, NetworkMedia, NetworkPost, Problem } from '#server/networks/network';
import { createTurns, type TakeTurns } from '#server/turns';
import { versionFor } from './versions.ts';

/** What the check needs to know beside the post. */
export interface Surroundings {
  /** The network of each account that is still connected, and what that told about the account. */
  readonly networkOf: (accountId: string) => { readonly network: Network; readonly facts: Json } | undefined;
  readonly media: ReadonlyMap<string, NetworkMedia>;
  /** Whether the networks can reach the service to fetch media. */
  readonly reachable: boolean;
}

export interface Findings {
  readonly issues: Issue[];
  readonly warnings: Issue[];
}

/** The post against the limits of every network it goes to: one issue per broken limit and account. */
export const checkLimits = async (post: Post, { networkOf, media, reachable }: Surroundings): Promise<Findings> => {
  const issues: Issue[] = [];
  const warnings: Issue[] = [];
  const checked = new Map<string, Awaited<ReturnType<typeof checkVersion>>>();
  const measure = createMeasure();
  const turn = createTurns();
  if (post.accountIds.length === 0) {
    warnings.push({ path: 'accountIds', code: 'NoAccounts', message: 'The post goes to no account yet.' });
  }
  for (const [index, accountId] of post.accountIds.entries()) {
    const connected = networkOf(accountId);
    if (connected === undefined) {
      issues.push({
        path: `accountIds.${index}`,
        code: 'AccountGone',
        message: 'This account was disconnected. Take it out of the post or connect it again.',
        accountId,
      });
      continue;
    }
    const { network, facts } = connected;
    const version = versionFor(post.versions, accountId);
    const place = (problem: Problem): Issue => ({
      ...problem,
      path: `versions.${version.index}.${problem.path}`,
      accountId,
      provider: network.name,
    });
    // Accounts of one network that share a version share what is wrong with it: a long text is counted once.
    const shared = `${network.key} ${version.index} ${JSON.stringify(facts)}`;
    const found =
      checked.get(shared) ?? (await checkVersion({ network, facts, version, media, reachable, measure, turn }));
    checked.set(shared, found);
    addUpTo(issues, found.problems.map(place));
    addUpTo(warnings, found.surprises.map(place));
    await turn();
  }
  return { issues, warnings };
};

/** A hundred accounts with a hundred mistakes each would be an answer that nobody reads. */
const addUpTo = (list: Issue[], more: readonly Issue[]) =>
  list.push(...more.slice(0, bounds.brokenLimits - list.length));

/** What a text measures by the rule of a network. A text is counted once for each rule, however many accounts get it. */
type Measure = (characters: Constraints['characters'], text: string, options: NetworkPost['options']) => number;

const createMeasure = (): Measure => {
  const counts = new Map<string, Map<string, number>>();
  return (characters, text, options) => {
    const { max, rule, links, shortMentions, countedOptions = [] } = characters;
    const counted = countedOptions.map((key) => options[key]);
    const key = JSON.stringify([max, rule, links, shortMentions, counted]);
    const known = counts.get(key) ?? new Map<string, number>();
    counts.set(key, known);
    const length = known.get(text) ?? countText(characters, text, options);
    known.set(text, length);
    return length;
  };
};

const checkVersion = async ({
  network,
  facts,
  version,
  media,
  reachable,
  measure,
  turn,
}: {
  network: Network;
  facts: Json;
  version: ReturnType<typeof versionFor>;
  media: Surroundings['media'];
  reachable: boolean;
  measure: Measure;
  turn: TakeTurns;
}): Promise<{ problems: Problem[]; surprises: Problem[] }> => {
  const { post, missing } = networkPost(network, version, media);
  const isFetched = network.constraintsFor(post, facts).media.transport === 'PublicUrl';
  return {
    problems: [...missing, ...(await problemsOf(network, post, facts, measure, turn))],
    surprises:
      !reachable && isFetched && post.items.some((item) => item.media.length > 0)
        ? [
            {
              path: 'content',
              code: 'MediaNotPublic',
              message: `${network.name} fetches media from this server, which has no public https address: set BASE_URL to one.`,
            },
          ]
        : [],
  };
};

/** What one account gets, as its network sees it; and the files that are no longer there. */
export const networkPost = <Media extends NetworkMedia>(
  network: Network,
  version: Pick<ReturnType<typeof versionFor>, 'content' | 'options'>,
  media: ReadonlyMap<string, Media>,
): { post: NetworkPost<Media>; missing: Problem[] } => {
  const missing: Problem[] = [];
  const items = version.content.map(({ body, media: ids }, i) => ({
    body,
    media: ids.flatMap((id, j) => {
      const found = media.get(id);
      if (found) return [found];
      missing.push({
        path: `content.${i}.media.${j}`,
        code: 'MediaGone',
        message: 'This file is no longer in the media library. Choose another.',
        actual: id,
      });
      return [];
    }),
  }));
  return { post: { items, options: { ...defaults(network), ...ownOptions(network, version.options) } }, missing };
};

const defaults = ({ options }: Network) =>
  Object.fromEntries(options.flatMap(({ key, default: value }) => (value === undefined ? [] : [[key, value]])));

const ownOptions = ({ options }: Network, set: Readonly<Record<string, string>>) =>
  Object.fromEntries(options.flatMap(({ key }) => (set[key] === undefined ? [] : [[key, set[key]]])));

export const problemsOf = async (
  network: Network,
  post: NetworkPost,
  facts: Json,
  measure = createMeasure(),
  turn = createTurns(),
): Promise<Problem[]> => {
  const constraints = network.constraintsFor(post, facts);
  const found = threadProblems(post, constraints);
  for (const [index, item] of post.items.entries()) {
    found.push(...textProblems(post, item, index, constraints, measure), ...mediaProblems(item, index, constraints));
    await turn();
  }
  found.push(...network.options.flatMap((option) => optionProblems(option, post.options[option.key])));
  await turn();
  found.push(...network.check(post, facts));
  return found;
};

const threadProblems = ({ items }: NetworkPost, { thread }: Constraints): Problem[] =>
  items.length <= thread.max
    ? []
    : [
        {
          path: 'content',
          code: 'ThreadTooLong',
          message:
            thread.max === 1
              ? 'This network has no threads. Leave one item.'
              : `A thread here has at most ${thread.max} items.`,
          limit: thread.max,
          actual: items.length,
        },
      ];

const textProblems = (
  { options }: NetworkPost,
  { body, media }: NetworkItem,
  index: number,
  { characters, thread }: Constraints,
  measure: Measure,
): Problem[] => {
  const path = `content.${index}.body`;
  const problems: Problem[] = [];
  const isComment = index > 0 && thread.form === 'Comments';
  if (!/\S/.test(body) && (characters.required || isComment || media.length === 0)) {
    problems.push({
      path,
      code: 'TextRequired',
      message: media.length === 0 ? 'This item is empty. Write a text or add media.' : 'This item needs a text.',
      limit: 1,
      actual: 0,
    });
  }
  const length = measure(characters, body, options);
  if (length > characters.max) {
    const over = `${length === countedUpTo(characters) ? 'at least ' : ''}${length - characters.max}`;
    problems.push({
      path,
      code: 'TooLong',
      message: `The text is ${over} too long. ${characters.counting}`,
      limit: characters.max,
      actual: length,
    });
  }
  const bytes = Buffer.byteLength(body);
  if (characters.maxBytes !== undefined && bytes > characters.maxBytes) {
    problems.push({
      path,
      code: 'TooManyBytes',
      message: `The text is ${bytes - characters.maxBytes} bytes too long.`,
      limit: characters.maxBytes,
      actual: bytes,
    });
  }
  return problems;
};

const mediaProblems = ({ media }: NetworkItem, index: number, constraints: Constraints): Problem[] => {
  const path = `content.${index}.media`;
  const limits = constraints.media;
  if (index > 0 && constraints.thread.form === 'Comments') {
    if (media.length === 0) return [];
    return [
      {
        path,
        code: 'TooManyMedia',
        message: 'Items after the first become comments here, which have text only.',
        limit: 0,
        actual: media.length,
      },
    ];
  }
  const problems: Problem[] = [];
  const count = (code: string, message: string, limit: number, actual: number) =>
    problems.push({ path, code, message, limit, actual });
  if (index === 0 && media.length < limits.min) {
    count(
      'MediaRequired',
      `Add ${limits.min === 1 ? 'an image or video' : `at least ${limits.min} files`}.`,
      limits.min,
      media.length,
    );
  }
  if (media.length > limits.max) {
    count('TooManyMedia', `One item takes at most ${limits.max} files.`, limits.max, media.length);
  }
  const images = media.filter(({ kind }) => kind === 'Image').length;
  const videos = media.length - images;
  const { images: imageLimits, videos: videoLimits } = limits;
  if (!limits.mixed && images > 0 && videos > 0) {
    count('MixedMedia', 'Images and videos do not go together here. Keep one kind.', 0, Math.min(images, videos));
  }
  if (imageLimits && images > imageLimits.max && images <= limits.max) {
    count('TooManyMedia', `One item takes at most ${imageLimits.max} images.`, imageLimits.max, images);
  }
  if (videoLimits && videos > videoLimits.max && videos <= limits.max) {
    count('TooManyMedia', `One item takes at most ${videoLimits.max} video.`, videoLimits.max, videos);
  }
  return [...problems, ...media.flatMap((file, j) => fileProblems(file, `${path}.${j}`, limits))];
};

const fileProblems = (file: NetworkMedia, path: string, { images, videos }: Constraints['media']): Problem[] => {
  const limits = file.kind === 'Image' ? images : videos;
  if (limits === undefined) {
    return [
      {
        path,
        code: 'MediaKind',
        message: `This network takes no ${file.kind.toLowerCase()}s here.`,
        limit: images ? 'Image' : 'Video',
        actual: file.kind,
      },
    ];
  }
  const problems: Problem[] = [];
  const over = (code: string, message: string, limit: number | string, actual: number | string) =>
    problems.push({ path, code, message, limit, actual });
  if (!limits.mimeTypes.includes(file.mimeType)) {
    over('MediaType', `Use one of ${limits.mimeTypes.join(', ')}.`, limits.mimeTypes.join(', '), file.mimeType);
  }
  if (file.bytes > limits.maxBytes) over('MediaTooLarge', 'Use a smaller file.', limits.maxBytes, file.bytes);
  const ratio = Math.round((file.width / file.height) * 1000) / 1000;
  const { minRatio = 0, maxRatio = Number.POSITIVE_INFINITY } = limits;
  // A pixel cannot be halved, so 1:3 may come as 0.334.
  if (ratio < minRatio - 0.002) over('MediaRatio', 'It is too tall: crop it.', minRatio, ratio);
  if (ratio > maxRatio + 0.002) over('MediaRatio', 'It is too wide: crop it.', maxRatio, ratio);
  if (file.kind === 'Image' && images) {
    const { minWidth = 0, minHeight = 0, maxPixels = Number.POSITIVE_INFINITY, maxAltLength } = images;
    if (file.width < minWidth || file.height < minHeight) {
      over('MediaTooSmall', 'Use a larger image.', `${minWidth}x${minHeight}`, `${file.width}x${file.height}`);
    }
    if (file.width * file.height > maxPixels) {
      over('MediaTooLarge', 'Use an image with fewer pixels.', maxPixels, file.width * file.height);
    }
    if (maxAltLength !== undefined && (file.alt ?? '').length > maxAltLength) {
      over('AltTooLong', 'Shorten the alternative text.', maxAltLength, (file.alt ?? '').length);
    }
  }
  if (file.kind === 'Video' && videos) {
    const { minDurationMs = 0, maxDurationMs = Number.POSITIVE_INFINITY } = videos;
    // A file that does not tell its length is left to the network to judge.
    const { durationMs } = file;
    if (durationMs !== undefined && durationMs < minDurationMs) {
      over('VideoTooShort', 'Use a longer video.', minDurationMs, durationMs);
    }
    if (durationMs !== undefined && durationMs > maxDurationMs) {
      over('VideoTooLong', 'Use a shorter video.', maxDurationMs, durationMs);
    }
  }
  return problems;
};

const optionProblems = (option: Option, value: string | undefined): Problem[] => {
  const path = `options.${option.key}`;
  if (value === undefined) {
    return option.required ? [{ path, code: 'OptionRequired', message: `Set ${option.label} (${option.key}).` }] : [];
  }
  const wrong = (message: string, limit?: number | string): Problem[] => [
    { path, code: 'OptionValue', message, ...(limit !== undefined && { limit }), actual: value.slice(0, 100) },
  ];
  const choices = option.choices?.map((choice) => choice.value).join(', ');
  switch (option.type) {
    case 'Choice':
      return option.choices?.some((choice) => choice.value === value) === false
        ? wrong(`Choose one of ${choices}.`, choices)
        : [];
    case 'Boolean':
      return ['true', 'false'].includes(value) ? [] : wrong('Use true or false.', 'true, false');
    case 'Integer':
      return /^\d{1,15}$/.test(value) ? [] : wrong('Use a whole number.');
    case 'Url':
      return /^https?:\/\//.test(value) && URL.canParse(value) ? [] : wrong('Use a complete http or https address.');
    case 'Instant':
      return Instant.safeParse(value).success ? [] : wrong('Use an ISO-8601 instant, such as 2026-11-15T09:30:00Z.');
    case 'List': {
      const entries = value.split(',').length;
      return option.maxLength !== undefined && entries > option.maxLength
        ? [
            {
              path,
              code: 'OptionTooLong',
              message: `Give at most ${option.maxLength} entries.`,
              limit: option.maxLength,
              actual: entries,
            },
          ]
        : [];
    }
    case 'Text': {
      const length = codePoints(value);
      return option.maxLength !== undefined && length > option.maxLength
        ? [
            {
              path,
              code: 'OptionTooLong',
              message: `Use at most ${option.maxLength} characters.`,
              limit: option.maxLength,
              actual: length,
            },
          ]
        : [];
    }
  }
};
