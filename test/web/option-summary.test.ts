import { expect, test } from 'vitest';
import tiktok from '#server/networks/tiktok/index';
import { fitsMedia, summarizeOptions } from '#web/pages/post/editor/option-summary.ts';

const kinds = { photo: 'Image', clip: 'Video' } as const;
const mediaOf = (id: string) => (id in kinds ? { kind: kinds[id as keyof typeof kinds] } : undefined);
const shownWith = (...media: string[]) =>
  tiktok.options
    .filter((option) => fitsMedia(option, { items: [{ key: '1', body: '', media }], options: {} }, mediaOf))
    .map(({ key }) => key);

test('an option is offered for the kind of media that it is for', () => {
  expect(shownWith('photo')).toEqual(expect.arrayContaining(['tiktok.privacy', 'tiktok.title', 'tiktok.auto_music']));
  expect(shownWith('photo')).not.toContain('tiktok.allow_duet');
  expect(shownWith('clip')).toEqual(expect.arrayContaining(['tiktok.privacy', 'tiktok.allow_duet', 'tiktok.cover_ms']));
  expect(shownWith('clip')).not.toContain('tiktok.title');
  expect(shownWith()).not.toContain('tiktok.allow_duet');
});

test('the summary names what is set, in words', () => {
  const options = [
    {
      key: 'x.reply',
      label: 'Who can reply',
      type: 'Choice' as const,
      choices: [{ value: 'f', label: 'Your followers' }],
    },
    { key: 'x.ai', label: 'Made with AI', type: 'Boolean' as const },
    { key: 'x.warning', label: 'Content warning', type: 'Text' as const },
    { key: 'x.cover', label: 'Cover', type: 'Media' as const },
  ];
  const values = { 'x.reply': 'f', 'x.ai': 'true', 'x.warning': 'Bread', 'x.cover': 'media_1' };
  expect(summarizeOptions(options as never, values, () => undefined)).toBe(
    'Who can reply: Your followers, made with AI, content warning “Bread”, cover',
  );
  expect(summarizeOptions(options as never, {}, () => undefined)).toBe('');
});
