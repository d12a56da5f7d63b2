// What a person waits for: size of the first load and of each page, paint, layout shift and long tasks in a real browser.
import { readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { chromium } from 'playwright-core';
import { importCompiled } from '../compiled.mjs';
import { atPlace } from '../place.mjs';
import { ratio, say, shuffled, table } from '../table.mjs';
import { measureSlowly, slowReport, slowValues } from './slow.mjs';

const root = resolve(import.meta.dirname, '../..');
const pages = [
  '/',
  '/posts',
  '/posts/new',
  '/calendar',
  '/approvals',
  '/analytics',
  '/media',
  '/accounts',
  '/settings/api',
  '/settings/webhooks',
  '/settings/workspace',
  '/settings/profile',
  '/sandbox',
  '/sign-in',
];
const owner = { email: 'bench@example.com', password: 'long enough to be taken' };

export const measure = ({ rounds = 5, blink = false }) =>
  atPlace({ blink }, async (place) => {
    const { findChromium } = await importCompiled('scripts/chromium.ts');
    const executablePath = findChromium();
    if (executablePath === undefined) throw new Error('There is no Chromium here. Install one, or set CHROMIUM_PATH.');
    const { url } = await place.service('Posthorn');
    const { workspaceId } = await place.setUp();
    const blank = await startBlank();
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    try {
      const visited = blink ? ['/'] : pages;
      const seen = new Map(visited.map((path) => [path, []]));
      for (let round = 0; round < rounds; round++) {
        say(`web: round ${round + 1} of ${rounds}`);
        for (const path of shuffled(visited)) {
          const base = await look(browser, blank.url);
          seen.get(path).push({ ...(await look(browser, url, path)), base: base.paintMs });
        }
      }
      const slowRounds = Math.min(rounds, 3);
      if (!blink) await addPosts(place, url, workspaceId);
      const slow = await measureSlowly(browser, {
        blank: blank.url,
        app: url,
        signIn: (context) => signIn(context, url),
        rounds: slowRounds,
        blink,
      });
      return {
        text: [report(seen, rounds), ...slowReport(slow, slowRounds)].join('\n'),
        values: { 'first load': gzipped(firstLoad(seen)) / 1000, ...slowValues(slow) },
      };
    } finally {
      await browser.close();
      blank.stop();
    }
  });

const blankPage = `<!doctype html><title>Blank</title><main><h1>Blank</h1>
<a href="#" onclick="document.querySelector('h1').textContent = 'Other'">Other</a><textarea></textarea></main>`;

/** A page with a heading, a link and a field: what browser, machine and connection cost by themselves. */
const startBlank = async () => {
  const server = createServer((_req, res) => res.setHeader('content-type', 'text/html').end(blankPage));
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return { url: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
};

const signIn = async (context, url) => {
  const headers = { 'sec-fetch-site': 'same-origin' };
  const answer = await context.request.post(`${url}/api/auth/sign-in`, { data: owner, headers });
  if (!answer.ok()) throw new Error(`The owner cannot sign in: ${await answer.text()}`);
};

/** Sixty drafts and sixty scheduled posts, for one account each. */
const addPosts = async (place, url, workspaceId) => {
  const accountIds = [];
  for (const network of ['mastodon', 'bluesky', 'linkedin']) accountIds.push((await place.account(url, network)).id);
  const db = new pg.Client(place.config);
  await db.connect();
  await db.query(
    `insert into posts (id, workspace_id, status, account_ids, versions, created_by, scheduled_at)
     select 'post_01' || lpad(upper(to_hex(i)), 8, '0') || upper(substr(md5($1 || i), 1, 16)), $1,
            case i % 2 when 0 then 'Draft' else 'Scheduled' end, array[($2::text[])[1 + i % 3]],
            jsonb_build_array(jsonb_build_object('options', '{}'::jsonb, 'content', jsonb_build_array(
              jsonb_build_object('body', repeat('A text of some length. ', 7) || i, 'media', '[]'::jsonb)))), 'bench',
            case i % 2 when 1 then date_trunc('hour', now()) + i * interval '3 hours' end
       from generate_series(1, 120) as i`,
    [workspaceId, accountIds],
  );
  await db.end();
};

/** One visit with an empty cache, as somebody who comes for the first time. */
const look = async (browser, url, path) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  if (path !== undefined && path !== '/sign-in') await signIn(context, url);
  const page = await context.newPage();
  await page.addInitScript(() => {
    window.shift = 0;
    window.longestTask = 0;
    window.longTasks = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) {
        window.longestTask = Math.max(window.longestTask, duration);
        window.longTasks++;
      }
    }).observe({ type: 'longtask', buffered: true });
  });
  await page.goto(url + (path ?? '/'), { waitUntil: 'networkidle' });
  if (path !== undefined) await page.locator('h1').first().waitFor();
  const figures = await page.evaluate(() => ({
    paintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? performance.now(),
    shift: window.shift,
    longestTaskMs: window.longestTask,
    longTasks: window.longTasks,
    nodes: document.querySelectorAll('*').length,
    files: performance.getEntriesByType('resource').map(({ name, encodedBodySize }) => ({ name, encodedBodySize })),
  }));
  await context.close();
  const bytesOf = (ending) =>
    figures.files
      .filter(({ name }) => ending.test(name))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
  const bytes = { script: bytesOf(/\.js$/), stylesheet: bytesOf(/\.css$/), font: bytesOf(/\.woff2$/) };
  return { ...figures, bytes };
};

const report = (seen, rounds) => {
  const first = firstLoad(seen);
  const rows = [...seen].map(([path, visits]) => {
    const [{ bytes, files }] = visits;
    const worst = (of) => Math.max(...visits.map(of));
    return [
      path,
      kB(gzipped(codeOf(files).filter((path) => !first.includes(path)))),
      kB(bytes.script),
      kB(bytes.stylesheet),
      kB(bytes.font),
      ratio(visits.map(({ paintMs, base }) => paintMs / base)),
      worst(({ shift }) => shift).toFixed(3),
      ratio(visits.map(({ longestTaskMs, base }) => longestTaskMs / base)),
      String(median(visits.map(({ longTasks }) => longTasks))),
      String(visits[0].nodes),
    ];
  });
  return [
    '## web',
    '',
    'A first visit with an empty cache at 1440 × 900, in a browser on this machine. The first load is what each page waits',
    'for; `own` is what a page adds to it, packed with gzip. Script, style and fonts are all that is transferred (brotli), in',
    'kB. First paint and the longest task are multiples of the first paint of a blank page in the same round; the shift is the',
    `worst of ${rounds} rounds (below 0.1 is good); long tasks (over 50 ms) are the median. Node ${process.version}.`,
    '',
    table(
      ['page', 'own', 'script', 'style', 'fonts', 'first paint', 'layout shift', 'longest task', 'long tasks', 'nodes'],
      rows,
    ),
    '',
    table(
      ['what', 'size'],
      [
        ['first load, packed with gzip', `${kB(gzipped(first))} kB`],
        ['all files of the app, built', `${megabytes(filesBelow(join(root, 'dist/web')))} MB`],
      ],
    ),
    '',
  ].join('\n');
};

/** The scripts and styles that each page asked for. */
const firstLoad = (seen) => {
  const [first, ...others] = [...seen.values()].map(([{ files }]) => codeOf(files));
  return first.filter((path) => others.every((code) => code.includes(path)));
};

const codeOf = (files) => files.map(({ name }) => new URL(name).pathname).filter((path) => /\.(js|css)$/.test(path));

const gzipped = (paths) => paths.reduce((sum, path) => sum + statSync(join(root, `dist/web${path}.gz`)).size, 0);

const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];

const kB = (bytes) => (bytes / 1000).toFixed(1);

const megabytes = (files) => (files.reduce((sum, file) => sum + statSync(file).size, 0) / 1e6).toFixed(1);

const filesBelow = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !/\.(br|gz)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
