// npm run screenshots [-- posts analytics …]: every page of the app, from the demo, into screenshots/.
// CHROMIUM_PATH names the browser; else chromium or google-chrome on the PATH.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rest, withService } from './picture-service.mjs';

const root = resolve(import.meta.dirname, '..');
const target = join(root, 'screenshots');
const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];
const schemes = ['light', 'dark'];

/** All pages, with ids of a webhook and of posts that have content. */
const pagesOf = async (url, { token }, request) => {
  const answer = await fetch(`${url}/api/agent/tools/posts.list`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ limit: 100 }),
  });
  const { posts } = await answer.json();
  const titled = (title) => posts.find(({ versions }) => versions[0].content[0].body.startsWith(title))?.id;
  const { webhooks } = await (await request.get(`${url}/api/webhooks`)).json();
  return [
    { name: '01-home', path: '/' },
    { name: '02-posts', path: '/posts' },
    { name: '03-post-draft', path: `/posts/${titled('Birthday of the starter')}` },
    { name: '04-post-published', path: `/posts/${titled('The day starts at 5')}` },
    { name: '05-post-failed', path: `/posts/${titled('New on the shelf')}` },
    { name: '06-calendar', path: '/calendar' },
    { name: '07-approvals', path: '/approvals' },
    { name: '08-media', path: '/media' },
    { name: '09-analytics', path: '/analytics' },
    { name: '10-accounts', path: '/accounts' },
    { name: '11-api', path: '/settings/api' },
    { name: '12-webhooks', path: '/settings/webhooks' },
    { name: '13-webhook', path: `/settings/webhooks/${webhooks[0].id}` },
    { name: '14-workspace', path: '/settings/workspace' },
    { name: '15-profile', path: '/settings/profile' },
    { name: '16-sandbox', path: '/sandbox' },
    { name: '17-sign-in', path: '/sign-in', isSignedOut: true },
    { name: '18-not-found', path: '/nope' },
  ];
};

const take = async (browser, url, demo, names) => {
  let count = 0;
  for (const colorScheme of schemes) {
    for (const viewport of sizes) {
      const options = { viewport, colorScheme, reducedMotion: 'reduce', locale: 'en-GB' };
      const [signedIn, signedOut] = [await browser.newContext(options), await browser.newContext(options)];
      for (const context of [signedIn, signedOut]) {
        // Mantine stores the chosen scheme here.
        await context.addInitScript(
          (scheme) => localStorage.setItem('mantine-color-scheme-value', scheme),
          colorScheme,
        );
      }
      const { email, password } = demo;
      const entered = await signedIn.request.post(`${url}/api/auth/sign-in`, {
        data: { email, password },
        headers: { origin: url },
      });
      if (!entered.ok()) throw new Error(`The owner of the demo cannot sign in: ${await entered.text()}`);
      for (const { name, path, isSignedOut } of await pagesOf(url, demo, signedIn.request)) {
        if (names.length > 0 && !names.some((word) => name.includes(word))) continue;
        const page = await (isSignedOut ? signedOut : signedIn).newPage();
        const file = `${name}-${viewport.width}-${colorScheme}.png`;
        page.on('pageerror', (error) => console.error(`${file}: ${error.message}`));
        page.on('request', (request) => {
          if (/^https?:/.test(request.url()) && new URL(request.url()).origin !== url) {
            console.error(`${file}: asks ${request.url()}`);
          }
        });
        await page.goto(url + path, { waitUntil: 'load' });
        await rest(page);
        await page.screenshot({ path: join(target, file) });
        await page.close();
        count++;
        if (process.stderr.isTTY) process.stderr.write(`\r${count} pictures …`);
      }
      await Promise.all([signedIn.close(), signedOut.close()]);
    }
  }
  return count;
};

await withService(
  async ({ url, demo, browser }) => {
    mkdirSync(target, { recursive: true });
    console.log(`${await take(browser, url, demo, process.argv.slice(2))} pictures are in ${target}`);
  },
  { hasDemo: true },
);
