import { describe, expect, test } from 'vitest';
import { networks as folders } from '#generated/networks';
import { createNetworks } from '#server/networks/registry';
import { captionOf } from '#web/previews/caption.ts';
import { commentsOf, type PreviewPost, titleFoldSentence } from '#web/previews/model.ts';

const networks = createNetworks(folders);

const postOf = (network: string, bodies: string[], options: Record<string, string> = {}): PreviewPost => {
  const { constraintsFor } = networks.get(network);
  return {
    network,
    account: { provider: network, name: 'Rye & Ember', handle: 'rye' },
    limits: constraintsFor({ items: [], options }) as PreviewPost['limits'],
    items: bodies.map((body, index) => ({ key: String(index), body, media: [] })),
    options,
    labels: {},
  };
};
const caption = (network: string, bodies: string[], options?: Record<string, string>) =>
  captionOf(postOf(network, bodies, options), { more: 'more' });

test.each([
  ['instagram', [''], 'Folds after 125.'],
  ['instagram', ['  \n '], 'Folds after 125.'],
  ['instagram', ['a'.repeat(125)], 'Folds after 125. This text is shown whole.'],
  ['instagram', ['a'.repeat(126)], 'Folds after 125. 1 character waits behind “more”.'],
  ['instagram', ['🎂'.repeat(371)], 'Folds after 125. 246 characters wait behind “more”.'],
  ['linkedin', ['a'.repeat(300)], 'Folds after about 210. About 90 characters wait behind “more”.'],
  ['x', ['a'.repeat(290), 'b'.repeat(285)], 'Folds after 280. 15 characters wait behind “more”.'],
  ['x', ['日'.repeat(150)], 'Folds after 280. 10 characters wait behind “more”.'],
  ['threads', ['a'.repeat(400)], 'Shown whole, up to 500.'],
  ['tiktok', ['a'.repeat(400)], 'Folds after 2 lines. How much that is depends on the screen.'],
  [
    'facebook',
    ['a', 'b'],
    'Folds after 5 lines. How much that is depends on the screen. Item 2 becomes the first comment.',
  ],
])('%s: %j', (network, bodies, words) => {
  expect(caption(network, bodies)).toBe(words);
});

test('a story shows no text, and the caption says so', () => {
  expect(caption('instagram', [''], { 'instagram.type': 'story' })).toBe('A story shows no text.');
});

test('where Google folds the description of a photo is unknown, so nothing is said of it', () => {
  const text = 'a'.repeat(200);
  const captionFor = (type: string) => caption('google_business', [text], { 'google_business.topic_type': type });
  expect(captionFor('STANDARD')).toBe('Folds after about 90. About 110 characters wait behind “more”.');
  expect(captionFor('PHOTO')).toBe('');
  expect(postOf('google_business', [text], { 'google_business.topic_type': 'PHOTO' }).limits.characters.fold).toBe(
    undefined,
  );
});

test('comments stand in the order in which they are sent', () => {
  const options = { 'facebook.first_comment': 'First' };
  const items = ['Post', 'Second', 'Third'].map((body) => ({ body, media: [] }));
  const sent = networks.get('facebook').parts({ items, options });
  const post = postOf('facebook', ['Post', 'Second', 'Third'], options);
  expect(commentsOf(post).map(({ body }) => body)).toEqual(sent.slice(1).map(({ body }) => body));
  expect(captionOf(post, { more: 'See more' })).toMatch(/3 comments follow\.$/);
});

describe('a title is cut where its network cuts it', () => {
  const sentence = (network: string, title: string) =>
    titleFoldSentence(postOf(network, [''], { [`${network}.title`]: title }));

  test('Pinterest says so for a longer one, counted as people count', () => {
    expect(sentence('pinterest', '👨‍👩‍👧‍👦'.repeat(40))).toBe(false);
    expect(sentence('pinterest', '👨‍👩‍👧‍👦'.repeat(41))).toBe('The title is cut after about 40 characters.');
  });

  test('YouTube says so for every one, since only a screen knows its lines', () => {
    expect(sentence('youtube', 'Short')).toBe('The title is cut after about 2 lines.');
  });

  test('no other network cuts a title', () => {
    const names = networks.all.flatMap(({ key }) => (sentence(key, 'a'.repeat(500)) ? [key] : []));
    expect(names.sort()).toEqual(['pinterest', 'youtube']);
  });
});
