// Compiled before it runs: it imports the service's own contracts and rules.
import { z } from 'zod';
import { postActions } from '../../contracts/posts.ts';
import { networks } from '../../generated/networks.ts';
import { checkLimits } from '../../server/writing/posts/limits.ts';
import * as byHand from './by-hand.mjs';
import { cpuMs } from './cpu-ms.mjs';

const accountIds = networks.map(({ key }) => `acct_${key.toUpperCase().padEnd(26, '0')}`);
const id = 'post_01JCQ4B2C3D4E5F6G7H8J9K0M1';
const instant = '2026-11-15T09:30:00.123456Z';
const text =
  'Posthorn 0.1 is out 🎉 One draft, thirteen networks, and a human has the last word. ' +
  'Read how it works at https://example.com/posthorn/release-notes. #opensource';

const create = { accountIds: accountIds.slice(0, 2), body: text, scheduledAt: instant };
const update = {
  id,
  accountIds,
  versions: [
    { content: [{ body: text, media: ['media_01JCQ4B2C3D4E5F6G7H8J9K0M1'] }] },
    {
      accountId: accountIds[0],
      content: [{ body: text }, { body: '2/2' }],
      options: { 'x.reply_settings': 'everyone' },
    },
    { accountId: accountIds[1], content: [{ body: text, media: [] }], options: {} },
  ],
  scheduledAt: '',
  baseUpdatedAt: instant,
};

const media = new Map([
  ['picture', { id: 'picture', kind: 'Image', mimeType: 'image/jpeg', bytes: 400_000, width: 1080, height: 1080 }],
  [
    'video',
    { id: 'video', kind: 'Video', mimeType: 'video/mp4', bytes: 8e6, width: 1080, height: 1920, durationMs: 30_000 },
  ],
]);
const required = networks.flatMap(({ options }) => options.filter((option) => option.required));
const noPictures = accountIds.filter((_, i) => networks[i].constraints.media.images === undefined);
const versionWith = (file) => ({ content: [{ body: text, media: [file] }], options: {} });

/** Goes to every network, and breaks no limit. */
const post = {
  id,
  status: 'Draft',
  accountIds,
  versions: [
    {
      ...versionWith('picture'),
      options: Object.fromEntries(required.map(({ key, choices }) => [key, choices?.[0]?.value ?? 'chosen'])),
    },
    ...noPictures.map((accountId) => ({ accountId, ...versionWith('video') })),
  ],
  results: [],
  updatedAt: instant,
};
const networkOfAccount = new Map(accountIds.map((accountId, i) => [accountId, networks[i]]));
const surroundings = {
  networkOf: (accountId) => ({ network: networkOfAccount.get(accountId), facts: null }),
  media,
  reachable: true,
};

const inputs = (name, input, check) => {
  const { input: schema } = postActions[name];
  const compiled = z.compile(schema);
  return {
    name: `input of ${name}`,
    ways: {
      'by hand': () => check(input),
      'zod, compiled (what the service runs)': () => compiled.parse(input),
      'zod, plain': () => schema.parse(input),
    },
  };
};

/** For asynchronous checks, which yield to other requests: sequential calls, as from one caller. */
const timeAwaited = async (work, calls) => {
  const begun = process.cpuUsage();
  for (let i = 0; i < calls; i++) await work();
  return cpuMs(begun);
};

/** The first implementation of each subject is the 1.00 baseline. */
export const subjects = [
  inputs('posts.create', create, byHand.createInput),
  inputs('posts.update', update, byHand.updateInput),
  {
    name: `limits of ${networks.length} networks`,
    timed: timeAwaited,
    ways: {
      'by hand: lengths, numbers, file types and sizes alone': async () => byHand.limits(post, surroundings),
      'checkLimits: all rules (what the service runs)': () => checkLimits(post, surroundings),
    },
  },
];
