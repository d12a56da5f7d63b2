import { canonicalInstant } from '#contracts/instant';
import type { Constraints, Fold } from '#contracts/providers';
import { googleRefresh, googleRevoke, googleSignInEnd } from '#server/networks/families/google/api';
import type { Network } from '#server/networks/network';
import { choices, MB, minutes, noThread } from '#server/networks/shared/limits';
import { eachMedia, type Finding, itemsOf, option, problems } from '#server/networks/shared/post';
import { countedAsUnits, isLanguage } from '#server/networks/shared/text';
import { app } from './app.ts';
import { connect, profile, takesNoPosts } from './connect.ts';
import { isPhoto } from './photo.ts';
import { confirm, type Prepared, prepare, send } from './publish.ts';

const fold: Fold = { at: 90, unit: 'Characters', isObserved: true };

const constraints: Constraints = {
  // Whether a photo may stand without text is unconfirmed, so it may not.
  characters: { max: 1_500, ...countedAsUnits, required: true, fold },
  media: {
    min: 0,
    max: 1,
    mixed: false,
    images: { max: 1, mimeTypes: ['image/jpeg', 'image/png'], maxBytes: 5 * MB, minWidth: 250, minHeight: 250 },
    transport: 'PublicUrl',
  },
  thread: noThread,
  metrics: [],
};

const { fold: _foldOfPosts, ...photoCharacters } = constraints.characters;

/**
 * A photo for the profile, without a post. The reference states no limit for its description, so the limit of posts
 * applies. Where Google folds it is unknown.
 */
const photoConstraints: Constraints = {
  ...constraints,
  characters: { ...photoCharacters, required: false },
  media: { ...constraints.media, min: 1 },
};

const minImageBytes = 10_240;

const isNotAfter = (end: string, start: string) => {
  const [ends, starts] = [canonicalInstant(end), canonicalInstant(start)];
  return ends !== undefined && starts !== undefined && ends <= starts;
};

/** Not documented; ten times the usual gateway timeout of 60 s. */
const holdMs = minutes(10);

export default {
  key: 'google_business',
  name: 'Google Business Profile',
  alsoCalled: ['gmb', 'gbp', 'google_business_profile'],
  badge: { code: 'Gb', color: '#1C7549' },
  settings: ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'],
  app,
  hosts: {
    accounts: 'https://accounts.google.com',
    oauth: 'https://oauth2.googleapis.com',
    management: 'https://mybusinessaccountmanagement.googleapis.com',
    information: 'https://mybusinessbusinessinformation.googleapis.com',
    posts: 'https://mybusiness.googleapis.com',
  },
  paidPerPost: false,
  publishPermissions: ['https://www.googleapis.com/auth/business.manage'],
  constraints,
  options: [
    {
      key: 'google_business.topic_type',
      label: 'Type',
      type: 'Choice',
      choices: choices({ STANDARD: 'Update', EVENT: 'Event', OFFER: 'Offer', PHOTO: 'Photo' }),
      default: 'STANDARD',
      description:
        'Events and offers need a title, a start and an end. A photo goes to the photos of the profile, without a post.',
    },
    {
      key: 'google_business.photo_category',
      label: 'Photo shows',
      type: 'Choice',
      choices: choices({
        ADDITIONAL: 'Something else',
        EXTERIOR: 'Outside',
        INTERIOR: 'Inside',
        PRODUCT: 'Product',
        AT_WORK: 'At work',
        FOOD_AND_DRINK: 'Food and drink',
        MENU: 'Menu',
        COMMON_AREA: 'Common area',
        ROOMS: 'Rooms',
        TEAMS: 'Team',
      }),
      default: 'ADDITIONAL',
      description: 'Where Google files a photo. Only for the type Photo.',
    },
    {
      key: 'google_business.cta_type',
      label: 'Button',
      type: 'Choice',
      choices: choices({
        NONE: 'None',
        BOOK: 'Book',
        ORDER: 'Order online',
        SHOP: 'Buy',
        LEARN_MORE: 'Learn more',
        SIGN_UP: 'Sign up',
        CALL: 'Call now',
      }),
      default: 'NONE',
      description: 'A button below the post. Offers show none.',
    },
    {
      key: 'google_business.cta_url',
      label: 'Button link',
      type: 'Url',
      description: 'Where the button leads. Every button but Call now needs it.',
    },
    {
      key: 'google_business.event_title',
      label: 'Title of the event or offer',
      type: 'Text',
      maxLength: 58,
      description: 'Needed for events and offers.',
    },
    {
      key: 'google_business.event_start',
      label: 'Start',
      type: 'Instant',
      description:
        'When the event or offer begins, on the clock of the location: `2026-12-01T09:00:00+01:00` is 9:00 there.',
    },
    {
      key: 'google_business.event_end',
      label: 'End',
      type: 'Instant',
      description: 'When the event or offer ends, on the same clock and after its start.',
    },
    {
      key: 'google_business.repeat',
      label: 'Repeat',
      type: 'Choice',
      choices: choices({ NONE: 'Never', DAILY: 'Every day', WEEKLY: 'Every week', MONTHLY: 'Every month' }),
      default: 'NONE',
      description:
        'Google repeats an event or offer by itself: every week on the day of the week of its start, every month on that day.',
    },
    {
      key: 'google_business.repeat_until',
      label: 'Repeat until',
      type: 'Instant',
      description: 'The last moment of the series. Without it Google goes on until somebody deletes the post there.',
    },
    {
      key: 'google_business.offer_code',
      label: 'Coupon code',
      type: 'Text',
      description: 'The code that customers show or type in.',
    },
    {
      key: 'google_business.offer_url',
      label: 'Offer link',
      type: 'Url',
      description: 'Where customers redeem the offer.',
    },
    {
      key: 'google_business.offer_terms',
      label: 'Offer terms',
      type: 'Text',
      description: 'Terms and conditions of the offer.',
    },
    {
      key: 'google_business.language',
      label: 'Language',
      type: 'Text',
      default: 'en',
      description: 'Language of the text, such as `en` or `pt-BR`.',
    },
  ],
  constraintsFor: (post) => (isPhoto(post) ? photoConstraints : constraints),
  check: (post, facts) => {
    const value = (name: string) => option(post, `google_business.${name}`);
    const needsEvent = ['EVENT', 'OFFER'].includes(value('topic_type'));
    const repeats = !['', 'NONE'].includes(value('repeat'));
    const hasButton = !['', 'NONE'].includes(value('cta_type'));
    const needsLink = hasButton && value('cta_type') !== 'CALL' && !isPhoto(post);
    const language = value('language');
    return problems([
      takesNoPosts(facts) &&
        !isPhoto(post) && {
          path: 'content',
          code: 'Invalid',
          message: 'Google accepts no posts for this location: remove it from the post, or ask Google to verify it.',
        },
      ...['event_title', 'event_start', 'event_end'].map(
        (name): Finding =>
          needsEvent &&
          value(name) === '' && {
            path: `options.google_business.${name}`,
            code: 'OptionRequired',
            message: 'An event or offer needs a title, a start and an end.',
          },
      ),
      needsEvent &&
        isNotAfter(value('event_end'), value('event_start')) && {
          path: 'options.google_business.event_end',
          code: 'OptionValue',
          message: 'The end has to lie after the start.',
        },
      repeats &&
        !needsEvent && {
          path: 'options.google_business.repeat',
          code: 'OptionNotAllowed',
          message: 'Google repeats only events and offers: choose one of these, or no repetition.',
        },
      repeats &&
        needsEvent &&
        isNotAfter(value('repeat_until'), value('event_end')) && {
          path: 'options.google_business.repeat_until',
          code: 'OptionValue',
          message: 'The series has to end after the first event or offer.',
        },
      !repeats &&
        value('repeat_until') !== '' && {
          path: 'options.google_business.repeat_until',
          code: 'OptionNotAllowed',
          message: 'Only what repeats has an end of its series: choose how often, or remove this time.',
        },
      isPhoto(post) &&
        hasButton && {
          path: 'options.google_business.cta_type',
          code: 'OptionNotAllowed',
          message: 'A photo has no button: choose None, or another type.',
        },
      needsLink &&
        value('cta_url') === '' && {
          path: 'options.google_business.cta_url',
          code: 'OptionRequired',
          message: 'This button needs a link: set it, or choose another button.',
        },
      language !== '' &&
        !isLanguage(language) && {
          path: 'options.google_business.language',
          code: 'OptionValue',
          message: `${language} is not a language tag such as en or pt-BR.`,
          actual: language,
        },
      ...eachMedia(
        post,
        (media, path) =>
          media.bytes < minImageBytes && {
            path,
            code: 'MediaTooSmall',
            message: 'An image needs at least 10 kB: choose another.',
            limit: minImageBytes,
            actual: media.bytes,
          },
      ),
    ]);
  },
  connect,
  refreshAheadMs: minutes(5),
  refresh: googleRefresh,
  signInEnd: googleSignInEnd,
  profile,
  revoke: googleRevoke,
  revokesWholeApp: true,
  parts: itemsOf,
  prepare,
  send,
  confirm,
  holdMs,
  postsPerRead: 100,
  // Google reports nothing of single posts.
  readMetrics: async (_site, _account, posts) => posts.map(() => ({ is: 'over' })),
} satisfies Network<Prepared>;
