// The pictures of README.md, from the demo: three pages at twice the pixels, and the send-off as an animated WebP.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { rest, withService } from './picture-service.mjs';

const pictures = resolve(import.meta.dirname, '../docs/pictures');
const framesPerSecond = 10;
const frameMs = 1000 / framesPerSecond;
/** How long the last picture stays. */
const lastMs = 2500;

const openAs = async (browser, url, { email, password }, options) => {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin', ...options });
  const { request } = context;
  const answer = await request.post(`${url}/api/auth/sign-in`, { data: { email, password }, headers: { origin: url } });
  if (!answer.ok()) throw new Error(`The owner of the demo cannot sign in: ${await answer.text()}`);
  return context;
};

const call = async (url, token, action, input) => {
  const answer = await fetch(`${url}/api/agent/tools/${action}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });
  return answer.json();
};

const takePages = async (browser, url, demo) => {
  const context = await openAs(browser, url, demo, {
    viewport: { width: 1440, height: 900 },
    deviceScaleFactor: 2,
    reducedMotion: 'reduce',
  });
  const { posts } = await call(url, demo.token, 'posts.list', { limit: 100 });
  const draft = posts.find(({ versions }) => versions[0].content[0].body.startsWith('Birthday of the starter'));
  for (const [name, path] of [
    ['editor', `/posts/${draft.id}`],
    ['approvals', '/approvals'],
    ['analytics', '/analytics'],
    ['calendar', '/calendar'],
  ]) {
    const page = await context.newPage();
    await page.goto(url + path);
    await rest(page);
    await page.screenshot({ path: join(pictures, `${name}.png`) });
    await page.close();
  }
  await context.close();
};

/** Takes a picture ten times a second while the post goes out: each step is one that the service reports. */
const takeSendOff = async (browser, url, demo, folder) => {
  const context = await openAs(browser, url, demo, { viewport: { width: 1280, height: 800 } });
  const { accounts } = await call(url, demo.token, 'accounts.list', {});
  const names = ['bluesky', 'mastodon', 'threads', 'x'];
  const accountIds = names.map((network) => accounts.find((account) => account.network === network)?.id);
  const body = 'The oven is on, and the first rye is out at half past seven.';
  const post = await call(url, demo.token, 'posts.create', { body, accountIds: accountIds.filter(Boolean) });
  if (!post.id) throw new Error(`No draft: ${JSON.stringify(post)}`);
  const page = await context.newPage();
  await page.goto(`${url}/posts/${post.id}`);
  await rest(page);
  let count = 0;
  const take = async () => {
    const startedAt = performance.now();
    await page.screenshot({ path: join(folder, `${String(count++).padStart(4, '0')}.png`) });
    await page.waitForTimeout(Math.max(0, frameMs - (performance.now() - startedAt)));
  };
  const takeFor = async (ms) => {
    for (const end = count + ms / frameMs; count < end; ) await take();
  };
  await takeFor(800);
  await page.getByRole('button', { name: 'Publish now' }).click();
  const confirm = page.getByRole('dialog').getByRole('button', { name: /^Publish to/ });
  await confirm.waitFor();
  await takeFor(1000);
  await confirm.click();
  const isOut = () => page.getByText(/^Out on \d+ accounts? in /).count();
  for (let left = 150; left > 0 && (await isOut()) === 0; left--) await take();
  await takeFor(lastMs);
  await context.close();
};

const animate = (folder) => {
  const target = join(pictures, 'send-off.webp');
  const args = ['-y', '-loglevel', 'error', '-framerate', String(framesPerSecond), '-i', join(folder, '%04d.png')];
  const { status } = spawnSync(
    'ffmpeg',
    [...args, '-vf', 'scale=1000:-1', '-c:v', 'libwebp_anim', '-loop', '0', '-quality', '70', target],
    {
      stdio: ['ignore', 2, 2],
    },
  );
  if (status !== 0) throw new Error('ffmpeg could not put the send-off together: see above.');
};

await withService(
  async ({ url, demo, browser }) => {
    if (!process.argv.includes('send-off')) await takePages(browser, url, demo);
    const folder = mkdtempSync(join(tmpdir(), 'posthorn-frames-'));
    try {
      await takeSendOff(browser, url, demo, folder);
      animate(folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    console.log(`The pictures of README.md are in ${pictures}`);
  },
  { hasDemo: true },
);
