import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { beforeAll, expect, test } from 'vitest';
import { foldText } from '#server/networks/fold';
import { connectAgent } from '#test/support/agent';
import { networkKeys } from '#test/support/network-keys';
import { until } from '#test/support/until';
import { mp4 } from '#test/support/videos';
import { axe, beDarkPhone, go, inBrowser, intercept, isFocused, isSideways, type World } from './harness.ts';

const text = `Our rye starter turns nine on Saturday. She has raised 41,000 loaves, survived two floods and one very curious dog.

The first fifty loaves come with a cardamom bun, warm from 7:30. Bring a jar with a lid and take a spoonful of her home. 🎂

How we keep her happy: 12 °C, equal parts water and rye, fed at five every morning. The whole routine: https://ryeandember.example/starter`;

const alts = ['A jar of starter', 'Six cardamom buns', 'The shop at night'];

/** Three pictures of different shapes, and a video. */
const addFiles = async ({ service }: World) => {
  const colors = ['#c9a063', '#d98a2b', '#22304f'];
  const sizes = [
    [900, 1200],
    [1200, 900],
    [1000, 1000],
  ] as const;
  const pictures = await Promise.all(
    sizes.map(async ([width, height], index) => {
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#e8e0d2"/><circle cx="50%" cy="50%" r="30%" fill="${colors[index]}"/></svg>`;
      const file = new Uint8Array(await sharp(Buffer.from(svg)).jpeg().toBuffer());
      return (await service.client.media.upload(file, { alt: alts[index] ?? '' })).id;
    }),
  );
  const file = new Uint8Array(mp4({ width: 720, height: 1280, durationMs: 34_000, codec: 'avc1' }));
  const video = await service.client.media.upload(file, { alt: 'The oven at night' });
  return { pictures, video: video.id };
};

/** Opens the page of a review link as somebody without a session. */
const openReview = async (world: World, postId: string, visit: Parameters<World['visit']>[0] = {}) => {
  const owner = world.service.browser();
  await owner.signIn();
  const { body } = await owner.post(`/api/app/posts/${postId}/shares`, {});
  const page = await world.visit({ at: new URL(body.url).pathname, as: null, ...visit });
  await page.getByRole('heading', { name: 'Post for review' }).waitFor();
  return page;
};

const articleOf = (place: Page | Locator, provider: string) =>
  place.getByRole('article', { name: new RegExp(`^${provider},`) });

/** Words in reading order, without the time, which differs by page. */
const wordsOf = async (article: Locator) =>
  (await article.innerText())
    .replaceAll(/\w{3} \d+ \w{3}, \d\d:\d\d|just now|\bnow\b/gi, 'TIME')
    .replaceAll(/\s+/g, ' ')
    .trim();

const filesOf = (article: Locator) =>
  article.locator('img[class*="file"]').evaluateAll((images) => images.map((image) => image.getAttribute('alt')));

/** In the browser: how the last line of a clamped text meets the button that covers its end. */
const describeCut = (text: Element) => {
  const tail = text.nextElementSibling?.getBoundingClientRect() ?? new DOMRect();
  const lineHeight = Number.parseFloat(getComputedStyle(text).lineHeight);
  const range = document.createRange();
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  let halves = '';
  let end = text.getBoundingClientRect().left;
  while (walker.nextNode()) {
    const { data } = walker.currentNode as Text;
    for (let at = 0; at < data.length; at++) {
      range.setStart(walker.currentNode, at);
      range.setEnd(walker.currentNode, at + 1);
      const { left, right, top, bottom } = range.getBoundingClientRect();
      const isOnLine = (top + bottom) / 2 > tail.top && (top + bottom) / 2 < tail.bottom;
      if (!isOnLine || data[at]?.trim() === '') continue;
      if (left < tail.left - 0.5 && right > tail.left + 0.5) halves += data[at];
      if (right <= tail.left + 0.5) end = Math.max(end, right);
    }
  }
  const network = text.closest<HTMLElement>('[data-preview]')?.dataset.preview;
  return { network, halves, gap: tail.left - end, lines: Math.round(tail.height / lineHeight) };
};

/** In the browser: the width of the `https://` in this paragraph. */
const widthOfScheme = (text: Element) => {
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data } = walker.currentNode as Text;
    const at = data.indexOf('https://');
    if (at < 0) continue;
    const range = document.createRange();
    range.setStart(walker.currentNode, at);
    range.setEnd(walker.currentNode, at + 'https://'.length);
    return range.getBoundingClientRect().width;
  }
  return undefined;
};

inBrowser('previews', (world) => {
  const accounts = new Map<string, string>();
  let files: Awaited<ReturnType<typeof addFiles>>;
  const idOf = (key: string) => accounts.get(key) ?? '';
  const nameOf = async (key: string) => {
    const { providers } = await world.service.client.providers.limits({ networks: [key] });
    return providers[0]?.provider ?? key;
  };
  beforeAll(async () => {
    for (const key of networkKeys) accounts.set(key, await world.service.connect(key, { handle: 'rye-and-ember' }));
    files = await addFiles(world);
  });

  /** One post for every network, with what each shows beside the text. */
  const writeForAll = async () => {
    const { id } = await world.service.client.posts.create({ body: text });
    const own = (key: string, media: string[], body = text) => ({
      accountId: idOf(key),
      content: [{ body, media }],
      options: { 'youtube.title': 'Nine years, one starter', 'youtube.first_comment': 'Ask us anything' },
    });
    await world.service.client.posts.update({
      id,
      accountIds: [...accounts.values()],
      versions: [
        {
          content: [{ body: text, media: files.pictures }],
          options: {
            'instagram.first_comment': 'Who is coming by?',
            'mastodon.spoiler_text': 'Cake, and a lot of rye',
            'pinterest.board': '549755885175',
            'pinterest.title': 'A rye starter, nine years old',
            'google_business.cta_type': 'LEARN_MORE',
            'google_business.cta_url': 'https://ryeandember.example/starter',
            'x.paid_partnership': 'true',
            'linkedin_page.as_document': 'true',
            'linkedin_page.document_title': 'Three loaves',
          },
        },
        own('youtube', [files.video]),
        { ...own('tiktok', [files.video]), options: {} },
        { ...own('bluesky', [], 'Takes 300, so it has its own text.'), options: {} },
        {
          ...own('google_business', files.pictures.slice(2)),
          options: {
            'google_business.cta_type': 'LEARN_MORE',
            'google_business.topic_type': 'EVENT',
            'google_business.event_title': 'Baking class',
            'google_business.event_start': '2026-12-03T18:00:00Z',
            'google_business.event_end': '2026-12-03T20:00:00Z',
            'google_business.repeat': 'WEEKLY',
          },
        },
      ].map((version) => ({ ...version, options: keepOwn(version) })),
    });
    return id;
  };
  const keepOwn = ({ accountId, options }: { accountId?: string; options: Record<string, string | undefined> }) => {
    const key = networkKeys.find((one) => idOf(one) === accountId);
    return Object.fromEntries(
      Object.entries(options).flatMap(([option, value]) =>
        value !== undefined && (key === undefined || option.startsWith(`${key}.`)) ? [[option, value]] : [],
      ),
    );
  };

  test('each network shows in its own layout what the server sends', async () => {
    const id = await writeForAll();
    const page = await openReview(world, id, { width: 1440, height: 1000 });
    const { providers } = await world.service.client.providers.limits({});
    for (const { network, provider, constraints } of providers) {
      const article = articleOf(page, provider);
      const words = await wordsOf(article);
      const { characters } = constraints;
      const body = network === 'bluesky' ? 'Takes 300, so it has its own text.' : text;
      const { shown, rest } = foldText(characters, body);
      expect(words, network).toContain(shown.replaceAll(/\s+/g, ' ').trim().slice(0, 60));
      if (characters.fold?.unit !== 'Lines') {
        const hidden = rest.replaceAll(/\s+/g, ' ').trim();
        if (hidden === '') expect(words, network).toContain(shown.replaceAll(/\s+/g, ' ').trim());
        else expect(words, network).not.toContain(hidden.slice(-20));
      }
      await expect.poll(() => page.locator(`[data-preview="${network}"]`).count(), { message: network }).toBe(1);
    }
    const words = async (key: string) => wordsOf(articleOf(page, await nameOf(key)));
    const media = async (key: string) => filesOf(articleOf(page, await nameOf(key)));
    await expect.poll(() => media('x')).toEqual(alts);
    await expect.poll(() => media('threads')).toEqual(alts);
    await expect.poll(() => media('instagram')).toEqual(alts.slice(0, 1));
    await expect.poll(() => media('google_business')).toEqual(alts.slice(2));
    await expect.poll(() => media('youtube')).toEqual(['The oven at night']);
    expect(await media('bluesky')).toEqual([]);
    await expect.poll(() => words('instagram')).toContain('Who is coming by?');
    await expect.poll(() => words('mastodon')).toMatch(/Cake, and a lot of rye.*Our rye starter/);
    await expect.poll(() => words('pinterest')).toContain('A rye starter, nine years old');
    await expect.poll(() => words('pinterest')).toContain('Recipes');
    await expect.poll(() => words('youtube')).toMatch(/0:34.*Nine years, one starter.*Ask us anything/);
    await expect.poll(() => words('tiktok')).toContain('0:34');
    await expect.poll(() => words('google_business')).toMatch(/Baking class.*Every week.*Learn more/);
    await expect.poll(() => media('linkedin')).toEqual(alts);
    await expect.poll(() => media('linkedin_page')).toEqual(alts.slice(0, 1));
    await expect.poll(() => words('linkedin_page')).toContain(`Three loaves · ${alts.length} pages`);
    await expect.poll(() => words('x')).toContain('Paid partnership');
    for (const unknown of [/followers/i, /subscribers/i, /\b0 views/]) {
      expect(await page.getByText(unknown).count(), String(unknown)).toBe(0);
    }
    expect(await axe(page)).toEqual([]);
    await beDarkPhone(page);
    await expect.poll(() => isSideways(page)).toBe(false);
    expect(await axe(page)).toEqual([]);

    const editor = await world.visit({ at: `/posts/${id}`, width: 834 });
    const rail = editor.getByRole('region', { name: 'Preview' });
    await rail
      .getByRole('button', { name: /^Mastodon/ })
      .first()
      .click();
    const handle = articleOf(rail, 'Mastodon').getByText('@rye-and-ember@mastodon.sandbox');
    const lines = handle.evaluate((one) => one.clientHeight / Number.parseFloat(getComputedStyle(one).lineHeight));
    expect(await lines).toBeLessThanOrEqual(2);
    await rail
      .getByRole('button', { name: /^LinkedIn Page/ })
      .first()
      .click();
    const company = articleOf(rail, 'LinkedIn Page');
    const rightOf = async (one: Locator) => one.evaluate((element) => element.getBoundingClientRect().right);
    await expect.poll(() => rightOf(company.getByText('Send'))).toBeLessThan(await rightOf(company));
  });

  test('the caption says what is cut; more opens it in place, by keyboard too', async () => {
    const { id } = await world.service.client.posts.create({ body: '' });
    const write = (body: string) =>
      world.service.client.posts.update({
        id,
        accountIds: [idOf('instagram'), idOf('linkedin'), idOf('facebook'), idOf('bluesky')],
        versions: [{ content: [{ body, media: files.pictures }] }],
      });
    await write(text);
    const page = await openReview(world, id);
    const caption = (key: string) => page.locator(`[data-preview="${key}"] > p`);
    const hidden = [...new Intl.Segmenter('en').segment(text)].length - 125;
    await expect
      .poll(() => caption('instagram').innerText())
      .toBe(`Folds after 125. ${hidden} characters wait behind “more”. Links are plain text.`);
    await expect
      .poll(() => caption('linkedin').innerText())
      .toMatch(/^Folds after about 210\. About \d+ characters wait behind/);
    await expect
      .poll(() => caption('facebook').innerText())
      .toBe('Folds after 5 lines. How much that is depends on the screen.');
    await expect.poll(() => caption('bluesky').innerText()).toBe('Shown whole, up to 300.');

    const instagram = articleOf(page, 'Instagram');
    const more = instagram.getByRole('button', { name: 'more', exact: true });
    await more.press('Enter');
    await instagram.getByText('The whole routine').waitFor();
    const less = instagram.getByRole('button', { name: 'less', exact: true });
    await isFocused(less);
    await less.press('Space');
    await isFocused(more);
    expect(await instagram.getByText('The whole routine').count()).toBe(0);
    const facebook = articleOf(page, 'Facebook Page');
    const height = async () => (await facebook.getByText('Our rye starter').boundingBox())?.height ?? 0;
    const folded = await height();
    await facebook.getByRole('button', { name: 'See more' }).press('Enter');
    await expect.poll(() => height()).toBeGreaterThan(folded);

    await instagram.getByRole('button', { name: 'Next file' }).press('Enter');
    await instagram.getByAltText('Six cardamom buns').waitFor();
    await page.keyboard.press('ArrowRight');
    await instagram.getByRole('group', { name: 'Files, 3 of 3' }).waitFor();
    await page.keyboard.press('ArrowLeft');
    await instagram.getByAltText('Six cardamom buns').waitFor();

    await write('Short');
    await page.reload();
    await articleOf(page, 'Instagram').getByText('Short').waitFor();
    await expect.poll(() => caption('instagram').innerText()).toBe('Folds after 125. This text is shown whole.');
    expect(await articleOf(page, 'Facebook Page').getByRole('button', { name: 'See more' }).count()).toBe(0);
    await write('');
    await page.reload();
    await articleOf(page, 'Instagram').waitFor();
    await expect.poll(() => caption('instagram').innerText()).toBe('Folds after 125.');
  });

  test('a text that is cut by lines ends between two letters, and the word that opens it follows at once', async () => {
    const page = await openReview(world, await writeForAll(), { width: 1440, height: 1000 });
    const isExact = async () => {
      const texts = await page.locator('p[data-clamp]').all();
      const all = await Promise.all(texts.map((text) => text.evaluate(describeCut)));
      expect(all.map(({ network }) => network).sort()).toEqual(['facebook', 'tiktok', 'youtube']);
      return all.every(({ halves, gap, lines }) => halves === '' && gap <= 1 && lines === 1);
    };
    await expect.poll(isExact).toBe(true);
    await beDarkPhone(page);
    await expect.poll(isExact).toBe(true);
  });

  test('networks that show links without https:// do so, and the text keeps the whole link', async () => {
    const page = await openReview(world, await writeForAll(), { width: 1440, height: 1000 });
    for (const [key, isShown] of [
      ['mastodon', false],
      ['threads', false],
      ['pixelfed', true],
    ] as const) {
      const article = articleOf(page, await nameOf(key));
      await expect
        .poll(() => wordsOf(article), { message: key })
        .toContain('routine: https://ryeandember.example/starter');
      const width = await article.locator('p', { hasText: 'The whole routine' }).evaluate(widthOfScheme);
      expect(width, key).toBeDefined();
      expect(width !== 0, key).toBe(isShown);
    }
  });

  test('a board is shown by its name as soon as that is there, and its id never stands for a name', async () => {
    const { service } = world;
    const board = '549755885175';
    const content = [{ body: 'Rye for beginners', media: files.pictures.slice(0, 1) }];
    const versions = [{ content, options: { 'pinterest.board': board } }];
    const { id } = await service.client.posts.create({ accountIds: [idOf('pinterest')], versions });
    const page = await world.visit({ at: '/media' });
    const open = async (path: string) => {
      let release = () => {};
      const hold = new Promise<void>((done) => {
        release = done;
      });
      await page.unrouteAll();
      await intercept(page, '**/api/app/posts/*/editor', (route) => hold.then(() => route.continue()));
      const request = page.waitForRequest('**/api/app/posts/*/editor');
      await go(page, path);
      await request;
      return release;
    };
    const texts = () =>
      page.evaluate<string>(
        `document.querySelector('main').innerText + [...document.querySelectorAll('input')].map(({ value }) => value)`,
      );
    const options = page.getByRole('region', { name: 'Options' });

    const showEditor = await open(`/posts/${id}`);
    await options.getByRole('button', { name: /Pinterest.*Board/ }).click();
    await options.getByText('Section', { exact: true }).waitFor();
    expect(await texts()).not.toContain(board);
    showEditor();
    const field = options.getByRole('combobox', { name: 'Board' });
    await expect.poll(() => field.inputValue()).toBe('Recipes');
    await options.getByRole('button', { name: /Pinterest.*Board: Recipes/ }).waitFor();

    const { ask } = await connectAgent(service, 'Pinner');
    const showCard = await open(await ask('posts_publishNow', { id }));
    const line = page.getByLabel('Options', { exact: true }).filter({ hasText: 'Pinterest, Board' });
    await line.waitFor();
    expect(await texts()).not.toContain(board);
    showCard();
    await line.getByText('Recipes').waitFor();

    // A board that the account no longer has.
    await page.unrouteAll();
    await intercept(page, '**/api/app/posts/*/editor', async (route) => {
      const response = await route.fetch();
      const view = await response.json();
      view.accounts[0].choices['pinterest.board'] = [{ value: '1', label: 'Travel' }];
      await route.fulfill({ response, json: view });
    });
    await page.goto(`${service.url}/posts/${id}`);
    await options.getByRole('button', { name: /Pinterest.*Board/ }).click();
    await expect.poll(() => field.inputValue()).toBe(`Id ${board}`);
  });

  test('the moment of a cover is a time, in the options of the editor and on the approval card', async () => {
    const { service } = world;
    const versions = [
      { content: [{ body: 'A night', media: [files.video] }], options: { 'instagram.cover_ms': '2500' } },
    ];
    const { id } = await service.client.posts.create({ accountIds: [idOf('instagram')], versions });
    const { ask } = await connectAgent(service, 'Filmer');
    const page = await world.visit({ at: `/posts/${id}` });
    await page.getByRole('button', { name: /Instagram.*Moment of the cover: 0:02\.5/ }).waitFor();
    await go(page, await ask('posts_publishNow', { id }));
    const line = page.getByLabel('Options', { exact: true }).filter({ hasText: 'Instagram, Moment of the cover' });
    await line.getByText('0:02.5').waitFor();
  });

  test('a video whose cover is a moment shows that frame, on the networks that take it', async () => {
    const { service } = world;
    const content = [{ body: 'A night', media: [files.video] }];
    const accountIds = [idOf('instagram'), idOf('facebook')];
    const versions = [{ content, options: { 'instagram.cover_ms': '2500' } }];
    const { id } = await service.client.posts.create({ accountIds, versions });
    const page = await world.visit({ at: '/posts' });
    // The file never loads, so it does not matter what the browser can play.
    await intercept(page, `**/media/${files.video}`, () => new Promise<void>(() => undefined));
    await go(page, `/posts/${id}`);
    const preview = page.getByRole('region', { name: 'Preview' });
    const frame = articleOf(preview, 'Instagram').locator('video');
    await frame.waitFor();
    await expect.poll(() => frame.evaluate((video: HTMLVideoElement) => video.currentTime)).toBe(2.5);
    await preview
      .getByRole('button', { name: /^Facebook Page/ })
      .first()
      .click();
    await articleOf(preview, 'Facebook Page').getByRole('img', { name: 'The oven at night' }).waitFor();
    expect(await preview.locator('video').count()).toBe(0);
    const review = await openReview(world, id);
    await intercept(review, /\/media\/[\w-]+$/, () => new Promise<void>(() => undefined));
    await review.reload();
    const shared = articleOf(review, 'Instagram').locator('video');
    await expect.poll(() => shared.evaluate((video: HTMLVideoElement) => video.currentTime)).toBe(2.5);
  });

  test('editor, approval card, publish dialog, review link and results show the same preview', async () => {
    const { service } = world;
    const both = [idOf('instagram'), idOf('facebook')];
    const { id } = await service.client.posts.create({ body: text });
    await service.client.posts.update({
      id,
      accountIds: both,
      versions: [
        {
          content: [
            { body: text, media: files.pictures },
            { body: 'Who brings the candles?', media: [] },
          ],
        },
      ],
    });
    const seen: Record<string, unknown> = {};
    const look = async (place: string, within: Page | Locator) => {
      for (const provider of ['Instagram', 'Facebook Page']) {
        const pick = within.getByRole('button', { name: new RegExp(`^${provider}`) });
        if ((await pick.count()) > 0) await pick.first().click();
        const article = articleOf(within, provider);
        await article.waitFor();
        await expect.poll(() => article.getByText('goes here').count()).toBe(0);
        seen[`${place} ${provider}`] = [await wordsOf(article), await filesOf(article)];
      }
    };
    const { ask } = await connectAgent(service, 'Previewer');
    const card = await ask('posts_publishNow', { id });

    const page = await world.visit({ at: `/posts/${id}`, width: 1440, height: 1000 });
    await look('editor', page.getByRole('region', { name: 'Preview' }));
    await page.getByRole('button', { name: 'Publish now' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Show previews' }).press('Enter');
    await look('dialog', dialog);
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('Escape');

    await go(page, card);
    await page.getByRole('button', { name: 'Show previews' }).press('Enter');
    await look('card', page.getByRole('region', { name: 'Preview' }));
    expect(await axe(page)).toEqual([]);

    await look('review link', await openReview(world, id));

    await service.asHuman('posts.publishNow', { id });
    await until('the post is out', async () => (await service.client.posts.get({ id })).status === 'Published');
    await go(page, `/posts/${id}`);
    await look('results', page.getByRole('region', { name: 'What went out' }));
    expect(await axe(page)).toEqual([]);

    for (const provider of ['Instagram', 'Facebook Page']) {
      const first = seen[`editor ${provider}`];
      for (const place of ['dialog', 'card', 'review link', 'results']) {
        expect(seen[`${place} ${provider}`], place).toEqual(first);
      }
      expect(JSON.stringify(first)).toContain('Who brings the candles?');
      if (provider === 'Facebook Page') expect(JSON.stringify(first)).toContain('Author Who brings');
    }
  });
});
