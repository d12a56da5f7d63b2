// Compiled before it runs: it imports the service's own contracts and rules.
import { z } from 'zod';
import { postActions } from '../../contracts/posts.ts';
import { networks } from '../../generated/networks.ts';
import * as byHand from './by-hand.mjs';

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

/** In each subject the first way is 1.00. */
export const subjects = [
  inputs('posts.create', create, byHand.createInput),
  inputs('posts.update', update, byHand.updateInput),
];
