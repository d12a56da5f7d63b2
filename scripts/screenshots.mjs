// npm run screenshots [-- posts analytics …]: every page of the app, from the demo, into screenshots/.
// CHROMIUM_PATH names the browser; else chromium or google-chrome on the PATH.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { chromium } from 'playwright-core';
import { findChromium } from './chromium.ts';

const root = resolve(import.meta.dirname, '..');
const target = join(root, 'screenshots');
const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];
const schemes = ['light', 'dark'];
/** A page counts as ready when nothing has changed for `restMs`; after `longestMs` it is captured anyway. */
const restMs = 600;
const longestMs = 15_000;

const freePort = async () => {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
};

const makeDemo = async (env) => {
  const child = spawn(process.execPath, ['scripts/posthorn.mjs', 'demo'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error('The demo could not be made: see above.');
  return JSON.parse(output);
};

const startService = async (env) => {
  const child = spawn(process.execPath, ['scripts/posthorn.mjs', 'start'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  let output = '';
  const ready = new Promise((done, fail) => {
    child.stdout.setEncoding('utf8').on('data', (more) => {
      output += more;
      if (output.includes('is ready at')) done();
    });
    ended.then(() => fail(new Error(`The service ended:\n${output}`)));
  });
  await ready;
  return async () => {
    child.kill('SIGTERM');
    await ended;
  };
};

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

const rest = (page) =>
  page.evaluate(
    ({ restMs, longestMs }) =>
      new Promise((done) => {
        const end = setTimeout(done, longestMs);
        let quiet;
        const wait = () => {
          clearTimeout(quiet);
          quiet = setTimeout(() => {
            if (document.querySelector('[aria-busy="true"]')) return wait();
            clearTimeout(end);
            document.fonts.ready.then(done);
          }, restMs);
        };
        new MutationObserver(wait).observe(document, { subtree: true, childList: true, characterData: true });
        wait();
      }),
    { restMs, longestMs },
  );

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

const executablePath = findChromium();
if (executablePath === undefined) {
  console.error('There is no Chromium here. Install one, or set CHROMIUM_PATH to it.');
  process.exit(1);
}
const dir = mkdtempSync(join(tmpdir(), 'posthorn-screenshots-'));
chmodSync(dir, 0o711); // PostgreSQL may run as another user
const port = await freePort();
const url = `http://localhost:${port}`;
const env = {
  ...process.env,
  NODE_ENV: 'development',
  DATABASE_URL: '',
  BASE_URL: '',
  PORT: String(port),
  POSTHORN_DATA: join(dir, 'data'),
  LOG_LEVEL: 'warn',
  REQUESTS_PER_MINUTE: '100000',
  npm_lifecycle_event: '',
};
try {
  const demo = await makeDemo(env);
  const stop = await startService(env);
  try {
    // Chromium's sandbox does not work as root. It only loads our own pages here.
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    const browser = await chromium.launch({ executablePath, args });
    try {
      mkdirSync(target, { recursive: true });
      console.log(`${await take(browser, url, demo, process.argv.slice(2))} pictures are in ${target}`);
    } finally {
      await browser.close();
    }
  } finally {
    await stop();
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}
