import type { IssueCode } from '#contracts/errors';
import type { Constraints } from '#contracts/providers';
import { codePoints } from '#server/networks/counting';
import { googleRefresh, googleRevoke, googleSignInEnd } from '#server/networks/families/google/api';
import type { Network } from '#server/networks/network';
import { choices, GB, MB, minutes, noThread } from '#server/networks/shared/limits';
import { eachItem, type Finding, itemsAndFirstComment, list, option, problems } from '#server/networks/shared/post';
import { isLanguage } from '#server/networks/shared/text';
import { captionsKey, languageKey, playlistKey, thumbnailKey } from './afterwards.ts';
import { app } from './app.ts';
import { connect, factsFrom, profile } from './connect.ts';
import { confirm, type Prepared, prepare, send } from './publish.ts';
import { readMetrics } from './statistics.ts';
import { maxTitle, titleOf } from './title.ts';

const constraints: Constraints = {
  characters: {
    max: 5_000,
    counting: 'UTF-8 bytes of the description: a Latin letter is 1, an accented one 2, CJK 3, an emoji 4 or more',
    rule: 'Utf8Bytes',
    required: false,
    fold: { at: 3, unit: 'Lines', isObserved: false },
    // The page of the video has the whole title.
    titleFold: { at: 2, unit: 'Lines', isObserved: true },
  },
  media: {
    min: 1,
    max: 1,
    mixed: false,
    // Accounts without a verified phone number may upload only 15 minutes; only YouTube knows which accounts.
    videos: {
      max: 1,
      mimeTypes: ['video/mp4', 'video/quicktime', 'video/webm', 'video/mpeg', 'video/x-msvideo', 'video/x-matroska'],
      maxBytes: 256 * GB,
      maxDurationMs: minutes(12 * 60),
    },
    transport: 'Upload',
  },
  thread: noThread,
  metrics: ['views', 'likes', 'comments'],
};

const maxTags = 500;
const commentKey = 'youtube.first_comment';

/** YouTube counts the commas between tags, and quotes around a tag with a space. */
const tagsLength = (tags: readonly string[]) =>
  codePoints(tags.map((tag) => (tag.includes(' ') ? `"${tag}"` : tag)).join(','));

const noAngleBrackets = (text: string, path: string, code: IssueCode): Finding =>
  /[<>]/.test(text) && { path, code, message: 'YouTube refuses < and >: remove them.' };

/** Not documented; ten times the usual gateway timeout of 60 s. */
const holdMs = minutes(10);

export default {
  key: 'youtube',
  name: 'YouTube',
  badge: { code: 'Yt', color: '#C92A1E' },
  settings: ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'],
  app,
  hosts: {
    accounts: 'https://accounts.google.com',
    oauth: 'https://oauth2.googleapis.com',
    api: 'https://www.googleapis.com',
    web: 'https://www.youtube.com',
  },
  paidPerPost: false,
  publishPermissions: [
    'https://www.googleapis.com/auth/youtube.upload',
    'https://www.googleapis.com/auth/youtube.force-ssl',
  ],
  constraints,
  options: [
    {
      key: 'youtube.title',
      label: 'Title',
      type: 'Text',
      maxLength: maxTitle,
      description: 'Title of the video; the first line of the text when it is not set. The text is the description.',
    },
    {
      key: 'youtube.privacy',
      label: 'Who can see it',
      type: 'Choice',
      choices: choices({ public: 'Everyone', unlisted: 'Everyone with the link', private: 'Only you' }),
      default: 'public',
      description: 'Who can see the video.',
    },
    {
      key: 'youtube.category',
      label: 'Category',
      type: 'Choice',
      choices: choices({
        1: 'Film & animation',
        2: 'Autos & vehicles',
        10: 'Music',
        15: 'Pets & animals',
        17: 'Sports',
        19: 'Travel & events',
        20: 'Gaming',
        22: 'People & blogs',
        23: 'Comedy',
        24: 'Entertainment',
        25: 'News & politics',
        26: 'Howto & style',
        27: 'Education',
        28: 'Science & technology',
        29: 'Nonprofits & activism',
      }),
      default: '22',
      description: "YouTube's number of the category.",
    },
    {
      key: 'youtube.made_for_kids',
      label: 'Made for kids',
      type: 'Choice',
      choices: choices({ no: 'No', yes: 'Yes' }),
      default: 'no',
      description: 'YouTube asks by law whether the video is made for children.',
    },
    {
      key: 'youtube.tags',
      label: 'Tags',
      type: 'List',
      description: 'Words separated by commas, 500 characters in total.',
    },
    {
      key: 'youtube.notify_subscribers',
      label: 'Notify subscribers',
      type: 'Boolean',
      default: 'true',
      description: 'Tells the subscribers of the channel about the video.',
    },
    {
      key: 'youtube.synthetic_media',
      label: 'Altered or synthetic',
      type: 'Boolean',
      default: 'false',
      description: 'Says that the video shows realistic things that were altered or made with AI.',
    },
    {
      key: 'youtube.license',
      label: 'License',
      type: 'Choice',
      choices: choices({ youtube: 'Standard YouTube license', creativeCommon: 'Creative Commons' }),
      default: 'youtube',
      description: 'What others may do with the video.',
    },
    {
      key: 'youtube.embeddable',
      label: 'Allow embedding',
      type: 'Boolean',
      default: 'true',
      description: 'Whether other sites may show the video.',
    },
    {
      key: thumbnailKey,
      label: 'Thumbnail',
      type: 'Media',
      file: { mimeTypes: ['image/jpeg', 'image/png'], maxBytes: 2 * MB, minWidth: 640 },
      description:
        'The picture that stands for the video. YouTube takes it from verified channels only; 16:9 fits best.',
    },
    {
      // Playlists differ by account, so they are no choices here.
      key: playlistKey,
      label: 'Playlist',
      type: 'Text',
      description: 'Id of a playlist of the channel that the video is added to.',
    },
    {
      key: captionsKey,
      label: 'Captions',
      type: 'Text',
      maxLength: 10_000,
      description: 'Subtitles of the video as WebVTT, which begins with `WEBVTT`, in the language of the video.',
    },
    {
      key: languageKey,
      label: 'Language',
      type: 'Text',
      maxLength: 35,
      description: 'Language of the video, its title and description, such as en or pt-BR.',
    },
    {
      key: 'youtube.first_comment',
      label: 'First comment',
      type: 'Text',
      maxLength: 10_000,
      description: 'A comment of the channel below its video.',
    },
  ],
  constraintsFor: () => constraints,
  choicesFor: (key, facts) =>
    key === playlistKey ? factsFrom(facts).playlists?.map(({ id, title }) => ({ value: id, label: title })) : undefined,
  check: (post, facts) => {
    const tags = tagsLength(list(post, 'youtube.tags'));
    const language = option(post, languageKey);
    const captions = option(post, captionsKey);
    const comment = option(post, commentKey);
    const { mayManage = true } = factsFrom(facts);
    const needsPermission = (key: string) =>
      !mayManage &&
      option(post, key) !== '' && {
        path: `options.${key}`,
        code: 'OptionNotAllowed' as const,
        message:
          'The channel did not allow Posthorn to manage playlists, captions and comments: connect it again and leave everything checked, or leave this out.',
      };
    return problems([
      needsPermission(playlistKey),
      needsPermission(captionsKey),
      needsPermission(commentKey),
      captions !== '' &&
        !/^WEBVTT(?:\s|$)/.test(captions) && {
          path: `options.${captionsKey}`,
          code: 'OptionValue',
          message: 'Captions are WebVTT, whose first line is WEBVTT: save them in that format.',
          actual: captions.slice(0, 100),
        },
      captions !== '' &&
        language === '' && {
          path: `options.${languageKey}`,
          code: 'OptionRequired',
          message: 'Captions have a language: set Language (youtube.language).',
        },
      language !== '' &&
        !isLanguage(language) && {
          path: `options.${languageKey}`,
          code: 'OptionValue',
          message: `${language} is not a language tag such as en or pt-BR.`,
          actual: language,
        },
      comment !== '' &&
        (option(post, 'youtube.privacy') === 'private' || option(post, 'youtube.made_for_kids') === 'yes') && {
          path: `options.${commentKey}`,
          code: 'OptionNotAllowed',
          message: 'YouTube accepts no comments on private videos and on videos made for kids: leave the comment out.',
        },
      titleOf(post) === '' && {
        path: 'options.youtube.title',
        code: 'OptionRequired',
        message: 'A video needs a title: set one, or write a text.',
      },
      noAngleBrackets(option(post, 'youtube.title'), 'options.youtube.title', 'OptionValue'),
      ...eachItem(post, ({ body }, path) => [noAngleBrackets(body, `${path}.body`, 'BadCharacter')]),
      tags > maxTags && {
        path: 'options.youtube.tags',
        code: 'OptionTooLong',
        message: 'All tags together may have 500 characters: remove some.',
        limit: maxTags,
        actual: tags,
      },
    ]);
  },
  connect,
  refreshAheadMs: minutes(5),
  refresh: googleRefresh,
  signInEnd: googleSignInEnd,
  profile,
  revoke: googleRevoke,
  revokesWholeApp: true,
  parts: itemsAndFirstComment(commentKey),
  prepare,
  send,
  confirm,
  holdMs,
  postsPerRead: 50,
  readMetrics,
} satisfies Network<Prepared>;
