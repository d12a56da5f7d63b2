import { Instant } from '#contracts/define';
import type { Issue, IssueCode } from '#contracts/errors';
import { isUrl } from '#contracts/is-url';
import type { Post } from '#contracts/posts';
import type { Constraints, Option } from '#contracts/providers';
import { bounds } from '#server/base/bounds';
import { isMediaId } from '#server/base/ids';
import { createYieldToEventLoop, type YieldToEventLoop } from '#server/base/jobs/yield-to-event-loop';
import { codePoints, countedUpTo, countText } from '#server/networks/counting';
import { focusShape, readFocus } from '#server/networks/focus';
import type { Json, Network, NetworkItem, NetworkMedia, NetworkPost, Problem } from '#server/networks/network';
import { pollProblems, pollShape, readPoll } from '#server/networks/poll';
import { fileProblems } from './file-problems.ts';
import { type Fit, type Fits, fitNotes, mediaWith, type PublishContext, withAdvice } from './fitting.ts';
import { type Outgoing, outgoingTo } from './outgoing.ts';

/** What the check needs to know beside the post. */
interface LimitContext extends PublishContext {
  /** Fitted files that are sent instead of the original pictures and videos. */
  readonly fits?: Fits;
  /** Whether the networks can reach the service to fetch media. */
  readonly reachable: boolean;
}

export interface Findings {
  readonly issues: Issue[];
  readonly warnings: Issue[];
}

/** Checks the post against the limits of every network it goes to: one issue per broken limit and account. */
export const checkLimits = async (
  post: Post,
  { networkOf, media, fits, reachable }: LimitContext,
): Promise<Findings> => {
  const issues: Issue[] = [];
  const warnings: Issue[] = [];
  const checked = new Map<string, Awaited<ReturnType<typeof checkVersion>>>();
  const measure = createMeasure();
  const yieldToEventLoop = createYieldToEventLoop();
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
    const fit = fits?.get(accountId);
    const outgoing = outgoingTo(network, post.versions, accountId, mediaWith(media, fit));
    const place = (problem: Problem): Issue => ({
      ...problem,
      path: `versions.${outgoing.version}.${problem.path}`,
      accountId,
      provider: network.name,
    });
    // Accounts of one network that share a version also share its problems, so a long text is measured once.
    const fitted = [...(fit?.finished.values() ?? [])].map(({ id }) => id).join(' ');
    const shared = `${network.key} ${outgoing.version} ${fitted} ${toText(facts)}`;
    const findings =
      checked.get(shared) ??
      (await checkVersion({ network, facts, outgoing, media, fit, reachable, measure, yieldToEventLoop }));
    checked.set(shared, findings);
    addUpTo(issues, findings.problems.map(place));
    addUpTo(warnings, findings.surprises.map(place));
    await yieldToEventLoop();
  }
  addUpTo(warnings, unusedOptions(post, networkOf));
  return { issues, warnings };
};

const factTexts = new WeakMap<object, string>();

/** Computed once for each account, not once for each of its posts. */
const toText = (facts: Json): string => {
  if (typeof facts !== 'object' || facts === null) return JSON.stringify(facts);
  const text = factTexts.get(facts) ?? JSON.stringify(facts);
  factTexts.set(facts, text);
  return text;
};

/** Capped, because nobody reads a hundred mistakes for each of a hundred accounts. */
const addUpTo = (list: Issue[], more: readonly Issue[]) =>
  list.push(...more.slice(0, bounds.brokenLimits - list.length));

/** The length of a text by a network's counting rule, computed once per rule and text. */
type Measure = (characters: Constraints['characters'], text: string, options: NetworkPost['options']) => number;

const createMeasure = (): Measure => {
  const counts = new Map<string, Map<string, number>>();
  return (characters, text, options) => {
    const { max, rule, links, shortLinks, shortMentions, countedOptions = [] } = characters;
    const counted = countedOptions.map((key) => options[key]);
    const key = JSON.stringify([max, rule, links, shortLinks, shortMentions, counted]);
    const lengths = counts.get(key) ?? new Map<string, number>();
    counts.set(key, lengths);
    const length = lengths.get(text) ?? countText(characters, text, options);
    lengths.set(text, length);
    return length;
  };
};

const unusedOptions = ({ accountIds, versions }: Post, networkOf: LimitContext['networkOf']): Issue[] => {
  if (versions.every(({ options }) => Object.keys(options).length === 0)) return [];
  const used = new Set(accountIds.flatMap((id) => networkOf(id)?.network.options.map(({ key }) => key) ?? []));
  return versions.flatMap(({ options }, index) =>
    Object.keys(options)
      .filter((key) => !used.has(key))
      .map((key) => ({
        path: `versions.${index}.options.${key}`,
        code: 'OptionUnused',
        message: 'No account of this post is on the network of this option, so it does nothing.',
      })),
  );
};

const checkVersion = async ({
  network,
  facts,
  outgoing: { post, missing },
  media,
  fit,
  reachable,
  measure,
  yieldToEventLoop,
}: {
  network: Network;
  facts: Json;
  outgoing: Outgoing<NetworkMedia>;
  media: ReadonlyMap<string, NetworkMedia>;
  fit: Fit | undefined;
  reachable: boolean;
  measure: Measure;
  yieldToEventLoop: YieldToEventLoop;
}): Promise<{ problems: Problem[]; surprises: Problem[] }> => {
  const problems = [...missing, ...(await problemsOf(network, post, facts, { fit, measure, yieldToEventLoop }))];
  const surprises = [...fitNotes(network, post, media, fit), ...(network.surprises?.(post, facts) ?? [])];
  const hasMedia = post.items.some((item) => item.media.length > 0);
  if (!reachable && hasMedia && network.constraintsFor(post, facts).media.transport === 'PublicUrl') {
    surprises.push({
      path: 'content',
      code: 'MediaNotPublic',
      message: `${network.name} fetches media from this server, which has no public https address: set BASE_URL to one.`,
    });
  }
  return { problems, surprises };
};

export const problemsOf = async (
  network: Network,
  post: NetworkPost,
  facts: Json,
  {
    fit,
    measure = createMeasure(),
    yieldToEventLoop = createYieldToEventLoop(),
  }: { fit?: Fit | undefined; measure?: Measure; yieldToEventLoop?: YieldToEventLoop } = {},
): Promise<Problem[]> => {
  const constraints = network.constraintsFor(post, facts);
  const all = threadProblems(post, constraints);
  for (const [index, item] of post.items.entries()) {
    all.push(...textProblems(post, item, index, constraints, measure), ...mediaProblems(item, index, constraints));
    if (index === 0 || constraints.thread.form !== 'Comments') {
      all.push(
        ...item.media.flatMap((file, j) => {
          const problems = fileProblems(file, `content.${index}.media.${j}`, constraints.media);
          return withAdvice(network, post, facts, file, problems, fit);
        }),
      );
    }
    await yieldToEventLoop();
  }
  for (const option of network.options) {
    const value = post.options[option.key];
    if (value !== undefined || option.required) all.push(...optionProblems(optionFor(network, option, facts), value));
    all.push(...optionFileProblems(option, post.optionFiles?.[option.key]));
  }
  await yieldToEventLoop();
  all.push(...network.check(post, facts));
  return all;
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
  const bytes = characters.maxBytes === undefined ? 0 : Buffer.byteLength(body);
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
  const count = (code: IssueCode, message: string, limit: number, actual: number) =>
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
  const [images, videos, documents] = (['Image', 'Video', 'Document'] as const).map(
    (one) => media.filter(({ kind }) => kind === one).length,
  ) as [number, number, number];
  const { images: imageLimits, videos: videoLimits } = limits;
  if (limits.documents && documents > 0 && media.length > 1) {
    count('MixedMedia', 'A document stands alone. Remove the other files.', 1, media.length);
  }
  if (!limits.mixed && images > 0 && videos > 0) {
    count('MixedMedia', 'Images and videos do not go together here. Keep one kind.', 0, Math.min(images, videos));
  }
  if (imageLimits && images > imageLimits.max && images <= limits.max) {
    count('TooManyMedia', `One item takes at most ${imageLimits.max} images.`, imageLimits.max, images);
  }
  if (videoLimits && videos > videoLimits.max && videos <= limits.max) {
    count('TooManyMedia', `One item takes at most ${videoLimits.max} video.`, videoLimits.max, videos);
  }
  return problems;
};

/** The option with the choices and limits of this account. */
export const optionFor = (network: Network, option: Option, facts: Json): Option => {
  const choices = network.choicesFor?.(option.key, facts);
  const poll = option.poll && network.pollLimitsFor?.(facts);
  if (choices === undefined && poll === undefined) return option;
  return { ...option, ...(choices && { choices }), ...(poll && { poll }) };
};

const optionProblems = (option: Option, value: string | undefined): Problem[] => {
  const path = `options.${option.key}`;
  const name = `${option.label} (${option.key})`;
  if (value === undefined) {
    const offered = option.choices ? `: ${offer(option.choices)}` : '.';
    return option.required ? [{ path, code: 'OptionRequired', message: `Set ${name}${offered}` }] : [];
  }
  const wrong = wrongValue(option, value);
  if (wrong !== undefined) {
    const limit = option.choices && named(option.choices, ({ value: one }) => one);
    return [
      {
        path,
        code: 'OptionValue',
        message: `${name} ${wrong}`,
        ...(limit !== undefined && { limit }),
        actual: value.slice(0, 100),
      },
    ];
  }
  const poll = option.poll && readPoll(value);
  if (option.poll && poll) return pollProblems(path, option.poll, poll);
  const { maxLength = Number.POSITIVE_INFINITY } = option;
  const isList = option.type === 'List';
  const length = isList ? value.split(',').length : option.type === 'Text' ? codePoints(value) : 0;
  if (length <= maxLength) return [];
  const message = isList ? `Give at most ${maxLength} entries.` : `Use at most ${maxLength} characters.`;
  return [{ path, code: 'OptionTooLong', message, limit: maxLength, actual: length }];
};

const optionFileProblems = ({ key, file: limits }: Option, file: NetworkMedia | undefined): Problem[] =>
  file && limits ? fileProblems(file, `options.${key}`, { images: { max: 1, ...limits } }) : [];

/** Why no post can have this value, as the end of a sentence that begins with the option. */
export const wrongValue = ({ type, choices }: Option, value: string): string | undefined => {
  if (choices) return choices.some((choice) => choice.value === value) ? undefined : `must be ${offer(choices)}`;
  switch (type) {
    case 'Boolean':
      return ['true', 'false'].includes(value) ? undefined : 'must be true or false.';
    case 'Integer':
      return /^\d{1,15}$/.test(value) ? undefined : 'must be a whole number.';
    case 'Url':
      return /^https?:\/\//.test(value) && isUrl(value) ? undefined : 'must be a complete http or https address.';
    case 'Instant':
      return Instant.safeParse(value).success
        ? undefined
        : 'must be an ISO-8601 instant, such as 2026-11-15T09:30:00Z.';
    case 'Poll':
      return readPoll(value) ? undefined : `must be JSON such as ${pollShape}.`;
    case 'Focus':
      return readFocus(value)
        ? undefined
        : `must be JSON with x and y from -1 to 1 for each image, such as ${focusShape}.`;
    case 'Media':
      return isMediaId(value) ? undefined : 'must be the id of a file of the media library; media.list shows them.';
    default:
      return undefined;
  }
};

const maxNamed = 20;

const named = <One>(all: readonly One[], nameOf: (one: One) => string) =>
  [...all.slice(0, maxNamed).map(nameOf), ...(all.length > maxNamed ? ['…'] : [])].join(', ');

/** With the labels, because the ids of a network mean nothing to a reader. */
const offer = (choices: NonNullable<Option['choices']>) =>
  choices.length === 0
    ? "one of the account's own, but it has none. Create one on the network, then reconnect the account."
    : `one of ${named(choices, ({ value, label }) => `${value} (${label})`)}.`;
