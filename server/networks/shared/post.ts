import type { NetworkItem, NetworkMedia, NetworkPost, Problem } from '#server/networks/network';

export const option = (post: NetworkPost, key: string): string => post.options[key]?.trim() ?? '';

export const isOn = (post: NetworkPost, key: string): boolean => option(post, key) === 'true';

export const list = (post: NetworkPost, key: string): string[] =>
  option(post, key)
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

export const firstItem = (post: NetworkPost): NetworkItem => post.items[0] ?? { body: '', media: [] };

/** The parts for networks where every item is a post or comment of its own. */
export const itemsOf = <Media extends NetworkMedia>({ items }: NetworkPost<Media>) => items;

/** The items, and the first comment that an option asks for. */
export const itemsAndFirstComment =
  (key: string) =>
  <Media extends NetworkMedia>(post: NetworkPost<Media>): readonly NetworkItem<Media>[] => {
    const [first, ...others] = post.items;
    const comment = option(post, key);
    return first === undefined || comment === '' ? post.items : [first, { body: comment, media: [] }, ...others];
  };

export const hasMedia = (post: NetworkPost): boolean => firstItem(post).media.length > 0;

export const isVideo = (media: NetworkMedia): boolean => media.kind === 'Video';

export const isGif = (media: NetworkMedia): boolean => media.mimeType === 'image/gif';

/** Lets a rule read as `broken && problem`. */
export type Finding = Problem | false;

export const problems = (findings: readonly Finding[]): Problem[] => findings.filter((finding) => finding !== false);

export const eachItem = (
  post: NetworkPost,
  rule: (item: NetworkItem, path: string, index: number) => readonly Finding[],
): Finding[] => post.items.flatMap((item, index) => rule(item, `content.${index}`, index));

export const eachMedia = (
  post: NetworkPost,
  rule: (media: NetworkMedia, path: string, item: NetworkItem) => Finding,
): Finding[] =>
  eachItem(post, (item, path) => item.media.map((media, index) => rule(media, `${path}.media.${index}`, item)));

/** Next to a video, the constraints already refuse a GIF. */
export const gifStandsAlone = (media: NetworkMedia, path: string, item: NetworkItem): Finding =>
  isGif(media) &&
  item.media.length > 1 &&
  !item.media.some(isVideo) && { path, code: 'MixedMedia', message: 'A GIF stands alone: remove the other media.' };

/** Items after the first become comments, which are shorter than posts. */
export const commentsWithin = (post: NetworkPost, limit: number): Finding[] =>
  eachItem(post, ({ body }, path, index) => [
    index > 0 &&
      body.length > limit && {
        path: `${path}.body`,
        code: 'TooLong',
        message: `A comment has at most ${limit} characters: shorten it.`,
        limit,
        actual: body.length,
      },
  ]);

/** The moment of a video that its cover shows has to lie inside the video. */
export const coverInside = (post: NetworkPost, key: string, unitMs: number): Finding => {
  const cover = Number(option(post, key));
  const durationMs = firstItem(post).media.find(isVideo)?.durationMs ?? Number.POSITIVE_INFINITY;
  return (
    cover * unitMs > durationMs && {
      path: `options.${key}`,
      code: 'OptionValue',
      message: 'The cover has to be a moment of the video: choose an earlier one.',
      actual: cover,
    }
  );
};
