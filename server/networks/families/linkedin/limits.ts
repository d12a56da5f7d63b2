import type { Constraints, Option } from '#contracts/providers';
import type { Network, NetworkPost } from '#server/networks/network';
import { pollIn, pollWithoutMedia } from '#server/networks/poll';
import { MB, minutes, seconds } from '#server/networks/shared/limits';
import { eachMedia, type Finding, firstItem, hasMedia, isOn, isVideo, option } from '#server/networks/shared/post';

export const linkedinHosts = { web: 'https://www.linkedin.com', api: 'https://api.linkedin.com' };

/** Shared by profiles and pages. */
export const linkedinConstraints: Omit<Constraints, 'thread'> = {
  characters: {
    max: 3_000,
    counting: String.raw`UTF-16 units as sent: each of \ | { } @ [ ] ( ) < > # * _ ~ counts 2, a hashtag 12 more than it has, most emoji 2 or more; a URL counts as it is`,
    rule: 'Escaped',
    required: false,
    fold: { at: 210, unit: 'Characters', isObserved: true },
  },
  media: {
    min: 0,
    max: 20,
    mixed: false,
    // 5 MB is advised, the real maximum unconfirmed.
    images: {
      max: 20,
      mimeTypes: ['image/jpeg', 'image/png', 'image/gif'],
      maxBytes: 5 * MB,
      maxPixels: 36_152_319,
    },
    videos: {
      max: 1,
      mimeTypes: ['video/mp4'],
      maxBytes: 500 * MB,
      minDurationMs: seconds(3),
      maxDurationMs: minutes(30),
      minRatio: 0.416,
      maxRatio: 2.4,
    },
    documents: { max: 1, mimeTypes: ['application/pdf'], maxBytes: 100 * MB },
    transport: 'Upload',
  },
  metrics: [],
};

/** Unconfirmed. */
const maxDocumentTitle = 100;

const days = (count: number) => count * 24 * 60;

export const linkedinOptions = (network: string): Option[] => [
  {
    key: `${network}.disable_reshare`,
    label: 'Forbid resharing',
    type: 'Boolean',
    default: 'false',
    description: 'Other members cannot reshare the post.',
  },
  {
    key: `${network}.link_url`,
    label: 'Link',
    type: 'Url',
    media: ['None'],
    description: 'Shows a card with this link below the text. Only on posts without media.',
  },
  {
    key: `${network}.link_title`,
    label: 'Link title',
    type: 'Text',
    media: ['None'],
    // Known from other clients, not from the network's own reference.
    maxLength: 400,
    description: 'Title of the card; the address when it is not set.',
  },
  {
    key: `${network}.link_thumbnail`,
    label: 'Link picture',
    type: 'Media',
    media: ['None'],
    file: { mimeTypes: ['image/jpeg', 'image/png', 'image/gif'], maxBytes: 5 * MB, maxPixels: 36_152_319 },
    description: 'Picture of the card.',
  },
  {
    key: `${network}.as_document`,
    label: 'Pictures as a document',
    type: 'Boolean',
    media: ['Image'],
    default: 'false',
    description:
      'The pictures go out as one PDF with a page for each, through which readers swipe. It shows no alt texts, and a GIF stands still.',
  },
  {
    key: `${network}.document_title`,
    label: 'Document title',
    type: 'Text',
    media: ['Document', 'Image'],
    maxLength: maxDocumentTitle,
    description: 'Title of a PDF, also of one made of pictures; the first line of the text when it is not set.',
  },
  {
    key: `${network}.poll_question`,
    label: 'Question of the poll',
    type: 'Text',
    media: ['None'],
    maxLength: 140,
    description: 'What the poll asks. A poll needs one.',
  },
  {
    key: `${network}.poll`,
    label: 'Poll',
    type: 'Poll',
    media: ['None'],
    poll: {
      minChoices: 2,
      maxChoices: 4,
      maxChoiceLength: 30,
      minDurationMinutes: days(1),
      maxDurationMinutes: days(14),
      multiple: false,
      hideTotals: false,
    },
    description: 'Asks readers to choose, for 1, 3, 7 or 14 days. Only on posts without media and without a link card.',
  },
];

/** LinkedIn's names for the durations of a poll, by their minutes. */
export const pollDurations: ReadonlyMap<number, string> = new Map([
  [days(1), 'ONE_DAY'],
  [days(3), 'THREE_DAYS'],
  [days(7), 'SEVEN_DAYS'],
  [days(14), 'FOURTEEN_DAYS'],
]);

export const documentTitle = (network: string, post: NetworkPost): string => {
  const [firstLine = ''] = firstItem(post).body.trim().split('\n');
  return option(post, `${network}.document_title`) || [...firstLine].slice(0, maxDocumentTitle).join('').trim();
};

const hasPictures = (post: NetworkPost) => firstItem(post).media.some(({ kind }) => kind === 'Image');

/** Whether the pictures are sent as the pages of one document. */
export const isPictureBook = (network: string, post: NetworkPost) =>
  isOn(post, `${network}.as_document`) && hasPictures(post);

const isDocument = (network: string, post: NetworkPost) =>
  firstItem(post).media.some(({ kind }) => kind === 'Document') || isPictureBook(network, post);

const minVideoBytes = 75_000;

export const linkedinFindings = (network: string, post: NetworkPost): Finding[] => [
  option(post, `${network}.link_url`) !== '' &&
    hasMedia(post) && {
      path: `options.${network}.link_url`,
      code: 'OptionNotAllowed',
      message: 'A link card and media exclude each other: remove one, or put the link into the text.',
    },
  ['link_title', 'link_thumbnail'].some((key) => option(post, `${network}.${key}`) !== '') &&
    option(post, `${network}.link_url`) === '' && {
      path: `options.${network}.link_url`,
      code: 'OptionRequired',
      message: 'A link title or picture needs a link: set it, or remove them.',
    },
  isOn(post, `${network}.as_document`) &&
    !hasPictures(post) && {
      path: `options.${network}.as_document`,
      code: 'OptionNotAllowed',
      message: 'Only pictures become a document: add some, or switch this off.',
    },
  isDocument(network, post)
    ? documentTitle(network, post) === '' && {
        path: `options.${network}.document_title`,
        code: 'OptionRequired',
        message: 'A document needs a title: set one, or write a text.',
      }
    : option(post, `${network}.document_title`) !== '' && {
        path: `options.${network}.document_title`,
        code: 'OptionNotAllowed',
        message: 'Only a document has this title: add a PDF, send pictures as a document, or remove the title.',
      },
  ...pollFindings(network, post),
  ...eachMedia(
    post,
    (media, path) =>
      isVideo(media) &&
      media.bytes < minVideoBytes && {
        path,
        code: 'MediaTooSmall',
        message: 'A video needs at least 75 kB: choose another.',
        limit: minVideoBytes,
        actual: media.bytes,
      },
  ),
];

const pollFindings = (network: string, post: NetworkPost): Finding[] => {
  const poll = pollIn(post, `${network}.poll`);
  const hasQuestion = option(post, `${network}.poll_question`).trim() !== '';
  if (poll === undefined) {
    return [
      hasQuestion && {
        path: `options.${network}.poll_question`,
        code: 'OptionNotAllowed',
        message: 'Only a poll has a question: add one, or remove the question.',
      },
    ];
  }
  return [
    pollWithoutMedia(post, `${network}.poll`),
    !hasQuestion && {
      path: `options.${network}.poll_question`,
      code: 'OptionRequired',
      message: 'A poll on LinkedIn needs a question: set it.',
    },
    option(post, `${network}.link_url`) !== '' && {
      path: `options.${network}.poll`,
      code: 'OptionNotAllowed',
      message: 'A poll and a link card exclude each other: remove one, or put the link into the text.',
    },
    !pollDurations.has(poll.durationMinutes) &&
      poll.durationMinutes >= days(1) &&
      poll.durationMinutes <= days(14) && {
        path: `options.${network}.poll`,
        code: 'PollDuration',
        message: 'A poll on LinkedIn runs for 1, 3, 7 or 14 days: choose one of these.',
        actual: poll.durationMinutes,
      },
  ];
};

/** SPEC, Statistics rules 5: LinkedIn reports no statistics. */
export const noStatistics: Network['readMetrics'] = async (_site, _account, posts) => posts.map(() => ({ is: 'over' }));
