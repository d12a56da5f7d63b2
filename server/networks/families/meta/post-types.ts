import type { Constraints, Option } from '#contracts/providers';
import type { NetworkPost } from '#server/networks/network';
import { choices, noThread } from '#server/networks/shared/limits';
import { type Finding, option } from '#server/networks/shared/post';

/** What Facebook and Instagram call one upload: three forms with limits of their own. */
export const typeOption = (network: string, story = 'one image or video without text'): Option => ({
  key: `${network}.type`,
  label: 'Type',
  type: 'Choice',
  choices: choices({ post: 'Post', reel: 'Reel', story: 'Story' }),
  default: 'post',
  description: `A reel is one video. A story is ${story}; it is gone after 24 hours.`,
});

export const firstCommentOption = (network: string, maxLength: number): Option => ({
  key: `${network}.first_comment`,
  label: 'First comment',
  type: 'Text',
  maxLength,
  description: 'A comment that the account writes below its own post right after publishing. Not on stories.',
});

/**
 * A story has no caption and accepts no comments. Text is refused: dropping it silently would lose what was approved.
 */
export const asStory = (constraints: Constraints, media: Constraints['media']): Constraints => ({
  ...constraints,
  characters: { max: 0, counting: 'A story carries no text', rule: 'Utf16Units', required: false },
  media,
  thread: noThread,
});

export const notOnStories = (post: NetworkPost, network: string, keys: readonly string[]): Finding[] =>
  keys.map(
    (key) =>
      option(post, `${network}.type`) === 'story' &&
      option(post, `${network}.${key}`) !== '' && {
        path: `options.${network}.${key}`,
        code: 'OptionNotAllowed',
        message: 'A story does not support this option: remove it.',
      },
  );
