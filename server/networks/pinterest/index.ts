import type { Constraints } from '#contracts/providers';
import type { Network } from '#server/networks/network';
import { GB, MB, minutes, noThread, seconds } from '#server/networks/shared/limits';
import {
  coverInside,
  eachMedia,
  firstItem,
  hasMedia,
  isVideo,
  itemsOf,
  option,
  problems,
} from '#server/networks/shared/post';
import { app } from './app.ts';
import { boardsFrom, connect, profile, refresh } from './connect.ts';
import { confirm, coverKey, type Prepared, prepare, send } from './publish.ts';
import { slideProblems, slidesKey } from './slides.ts';
import { readMetrics } from './statistics.ts';

const maxAlt = 500;

const constraints: Constraints = {
  characters: {
    max: 800,
    counting: 'Unicode code points of the description: a letter is 1, a simple emoji 1, a URL counts in full',
    rule: 'CodePoints',
    required: false,
    fold: { at: 60, unit: 'Characters', isObserved: false },
    // The page of the pin has the whole title.
    titleFold: { at: 40, unit: 'Characters', isObserved: true },
  },
  media: {
    min: 1,
    max: 5,
    mixed: false,
    // The file limits of images and videos are unconfirmed.
    images: { max: 5, mimeTypes: ['image/jpeg', 'image/png'], maxBytes: 20 * MB, maxAltLength: maxAlt },
    videos: {
      max: 1,
      mimeTypes: ['video/mp4', 'video/quicktime', 'video/x-m4v'],
      maxBytes: 2 * GB,
      minDurationMs: seconds(4),
      maxDurationMs: minutes(15),
      videoCodecs: ['h264', 'hevc'],
    },
    transport: 'Upload',
  },
  thread: noThread,
  metrics: ['views', 'saves', 'clicks'],
};

const maxLink = 2_048;

/** Not documented; ten times the usual gateway timeout of 60 s. */
const holdMs = minutes(10);

export default {
  key: 'pinterest',
  name: 'Pinterest',
  badge: { code: 'Pn', color: '#A3163F' },
  settings: ['PINTEREST_APP_ID', 'PINTEREST_APP_SECRET'],
  app,
  otherSettings: ['PINTEREST_TRIAL'],
  hosts: {
    web: 'https://www.pinterest.com',
    api: 'https://api.pinterest.com',
    trial: 'https://api-sandbox.pinterest.com',
  },
  paidPerPost: false,
  publishPermissions: ['pins:write'],
  constraints,
  options: [
    {
      // Boards differ by account, so they are no choices here.
      key: 'pinterest.board',
      label: 'Board',
      type: 'Text',
      perAccount: true,
      required: true,
      description: 'Id of the board that gets the pin.',
    },
    {
      key: 'pinterest.board_section',
      label: 'Section',
      type: 'Text',
      perAccount: true,
      description: 'Id of a section of the board; only needed where the list does not have it.',
    },
    {
      key: 'pinterest.title',
      label: 'Title',
      type: 'Text',
      maxLength: 100,
      description: 'Title of the pin; the text is its description.',
    },
    {
      key: 'pinterest.link',
      label: 'Link',
      type: 'Url',
      description: 'Where a click on the pin leads.',
    },
    {
      key: slidesKey,
      label: 'Titles and links of images',
      type: 'Text',
      media: ['Image'],
      maxLength: 5_000,
      description: 'For a carousel, one line for each image: its title, or `title | https://link`.',
    },
    {
      key: 'pinterest.alt_text',
      label: 'Alternative text',
      type: 'Text',
      maxLength: maxAlt,
      description: 'For people who cannot see the pin; the alternative text of the first image when it is not set.',
    },
    {
      key: 'pinterest.dominant_color',
      label: 'Main colour',
      type: 'Text',
      maxLength: 7,
      description: 'The colour that Pinterest shows while the pin loads, such as #6E7874.',
    },
    {
      key: 'pinterest.cover_second',
      label: 'Cover',
      type: 'Integer',
      unitMs: 1_000,
      media: ['Video'],
      default: '0',
      description: 'The moment of a video that its cover shows, in seconds from the start.',
    },
    {
      key: coverKey,
      label: 'Cover image',
      type: 'Media',
      media: ['Video'],
      file: { mimeTypes: ['image/jpeg', 'image/png'], maxBytes: 10 * MB },
      description: 'A picture that stands for a video, instead of one of its moments.',
    },
  ],
  constraintsFor: () => constraints,
  choicesFor: (key, facts, post) => {
    const boards = boardsFrom(facts);
    if (key === 'pinterest.board') return boards?.map(({ id, name }) => ({ value: id, label: name }));
    // Without a post any value is accepted: sections made since the boards were read are not in the list.
    if (key !== 'pinterest.board_section' || post === undefined) return undefined;
    const board = boards?.find(({ id }) => id === option(post, 'pinterest.board'));
    return board?.sections?.map(({ id, name }) => ({ value: id, label: name }));
  },
  // Without a board there is no list of sections, and the field would ask people for an id.
  disabledOptions: (post): Record<string, string> =>
    option(post, 'pinterest.board') === '' ? { 'pinterest.board_section': 'Choose the board first.' } : {},
  check: (post) => {
    const link = option(post, 'pinterest.link');
    return problems([
      link.length > maxLink && {
        path: 'options.pinterest.link',
        code: 'OptionTooLong',
        message: `A link has at most ${maxLink} characters: shorten it.`,
        limit: maxLink,
        actual: link.length,
      },
      option(post, coverKey) !== '' &&
        hasMedia(post) &&
        !firstItem(post).media.some(isVideo) && {
          path: `options.${coverKey}`,
          code: 'OptionNotAllowed',
          message: 'Only a video has a cover image: remove it.',
        },
      !/^(?:#[0-9a-f]{6})?$/i.test(option(post, 'pinterest.dominant_color')) && {
        path: 'options.pinterest.dominant_color',
        code: 'OptionValue',
        message: 'A colour is # and six hexadecimal digits, such as #6E7874.',
        actual: option(post, 'pinterest.dominant_color'),
      },
      ...slideProblems(post),
      coverInside(post, 'pinterest.cover_second', 1_000),
      ...eachMedia(post, ({ width, height }, path) => {
        const [first] = firstItem(post).media;
        return (
          first !== undefined &&
          Math.abs(width / height - first.width / first.height) > 0.01 && {
            path,
            code: 'MediaRatio',
            message: 'The images of a Pinterest carousel must have the same shape: choose images of one ratio.',
            limit: `${first.width}x${first.height}`,
            actual: `${width}x${height}`,
          }
        );
      }),
    ]);
  },
  connect,
  refreshAheadMs: minutes(5 * 24 * 60),
  refresh,
  profile,
  parts: itemsOf,
  prepare,
  send,
  confirm,
  holdMs,
  // One read for many pins is open to some apps only.
  postsPerRead: 1,
  readMetrics,
} satisfies Network<Prepared>;
