// The app on a slow device: a CPU four times slower and a fast-3G line, each figure beside a blank page of the same round.
import { setTimeout as sleep } from 'node:timers/promises';
import { ratio, say, shuffled, spread, table } from '../table.mjs';

const cpuRate = 4;
const line = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 94_000 }; // bytes per second
const stepMs = 120_000;
const sentence = 'The first loaves leave the oven at seven, and the door opens with them.';

const visited = ['/', '/posts', '/posts/new', '/calendar', '/approvals', '/analytics', '/accounts', '/sign-in'];
const headings = {
  '/': 'Home',
  '/posts': 'Posts',
  '/calendar': 'Calendar',
  '/approvals': 'Approvals',
  '/analytics': 'Analytics',
};

/** False with --blink, which does not throttle anything and only checks that each step still works. */
let isSlow = true;

export const measureSlowly = async (browser, { blank, app, signIn, rounds, blink }) => {
  isSlow = !blink;
  const at = blink
    ? { paths: ['/'], links: ['/', '/posts'], text: 'Rye' }
    : { paths: visited, links: Object.keys(headings), text: sentence };
  const samples = [];
  for (let round = 0; round < rounds; round++) {
    say(`web, slow: round ${round + 1} of ${rounds}`);
    const base = await withPage(browser, undefined, (page) => measureBlank(page, blank, at.text));
    for (const path of shuffled(at.paths)) {
      const load = await withPage(browser, path === '/sign-in' ? undefined : signIn, (page) => open(page, app + path));
      samples.push({ what: `open ${path}`, ...load, ms: load.readyMs, base: base.readyMs });
    }
    await withPage(browser, signIn, async (page) => {
      for (const change of await changePages(page, app, at.links)) samples.push({ ...change, base: base.changeMs });
    });
    const typing = await withPage(browser, signIn, (page) => write(page, `${app}/posts/new`, at.text));
    samples.push({ what: 'a key in the editor', ...typing, base: base.keyMs });
  }
  return samples;
};

export const slowReport = (samples, rounds) => {
  const names = [...new Set(samples.map(({ what }) => what))];
  const rows = names.map((name) => {
    const own = samples.filter(({ what }) => what === name);
    const [middle, base] = [spread(own.map(({ ms }) => ms)).middle, spread(own.map((sample) => sample.base)).middle];
    const longest = Math.max(...own.map(({ longestTaskMs }) => longestTaskMs));
    return [
      name,
      middle.toFixed(0),
      base.toFixed(0),
      ratio(own.map((sample) => sample.ms / sample.base)),
      longest === 0 ? '< 50' : longest.toFixed(0),
      Math.max(...own.map(({ shift }) => shift)).toFixed(3),
    ];
  });
  return [
    `A CPU ${cpuRate} times slower than this machine's and a fast-3G line (1.6 Mbit/s, 150 ms), in ms, median of ${rounds} rounds. *open*: an`,
    'empty cache until the heading stands and nothing is loading any more. *change to*: from the click until the next page shows,',
    'from cached data. *a key*: from the key until the next frame, the slowest of a sentence. Beside it the same on a blank page',
    'of the same round. The longest task and the layout shift are the worst of all rounds.',
    '',
    table(['what', 'ms', 'blank page', 'ratio', 'longest task', 'layout shift'], rows),
    '',
  ];
};

/** The longest task that typing causes, and the worst layout shift. */
export const slowValues = (samples) => ({
  'slow typing': Math.max(
    ...samples.filter(({ what }) => what === 'a key in the editor').map(({ longestTaskMs }) => longestTaskMs),
  ),
  'slow shift': Math.max(...samples.map(({ shift }) => shift)),
});

const withPage = async (browser, signIn, work) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    await signIn?.(context);
    const page = await context.newPage();
    page.setDefaultTimeout(stepMs);
    await page.addInitScript(observe);
    const devtools = await context.newCDPSession(page);
    if (isSlow) {
      await devtools.send('Network.enable');
      await devtools.send('Network.emulateNetworkConditions', line);
      await devtools.send('Emulation.setCPUThrottlingRate', { rate: cpuRate });
    }
    return await Promise.race([work(page), giveUp(page)]);
  } finally {
    await context.close();
  }
};

/** Rejects after a while: `evaluate` has no timeout of its own, so a page that never gets ready would block forever. */
const giveUp = async (page) => {
  await sleep(stepMs, undefined, { ref: false });
  throw new Error(`${page.url()} was not done after ${stepMs / 1000} s.`);
};

/** Runs in the page, before its own scripts. */
const observe = () => {
  const seen = { shift: 0, longestTaskMs: 0 };
  const watch = (type, hear, more = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach(hear)).observe({ type, buffered: true, ...more });
  watch('layout-shift', (entry) => {
    if (!entry.hadRecentInput) seen.shift += entry.value;
  });
  watch('longtask', ({ duration }) => {
    seen.longestTaskMs = Math.max(seen.longestTaskMs, duration);
  });
  const afterFrame = () =>
    new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()))));
  /** The time at which `isThere` first held, after the frame that shows it was painted. */
  const until = (isThere) =>
    new Promise((done) => {
      const look = () => (isThere() ? done(afterFrame()) : requestAnimationFrame(look));
      look();
    });
  const isReady = () =>
    document.querySelector('h1') !== null && document.querySelector('main [aria-busy="true"]') === null;
  window.bench = {
    seen,
    reset: () => Object.assign(seen, { shift: 0, longestTaskMs: 0 }),
    untilReady: () => until(isReady),
    untilHeading: (text) => until(() => document.querySelector('h1')?.textContent?.includes(text) && isReady()),
    /** The time from the next click to the frame with this heading. */
    timeClick: (text) =>
      new Promise((done) => {
        addEventListener(
          'click',
          async () => {
            const from = performance.now();
            done((await window.bench.untilHeading(text)) - from);
          },
          { capture: true, once: true },
        );
      }),
    slowestKeyMs: 0,
    timeKeys: () =>
      addEventListener(
        'keydown',
        async ({ timeStamp }) => {
          const ms = (await afterFrame()) - timeStamp;
          window.bench.slowestKeyMs = Math.max(window.bench.slowestKeyMs, ms);
        },
        { capture: true },
      ),
  };
};

const seen = (page) => page.evaluate(() => ({ ...window.bench.seen }));

const open = async (page, address) => {
  await page.goto(address, { waitUntil: 'commit' });
  await page.waitForFunction(() => document.querySelector('h1') !== null);
  const readyMs = await page.evaluate(() => window.bench.untilReady());
  return { readyMs, ...(await seen(page)) };
};

/** Each page is opened once before it counts. */
const changePages = async (page, app, links) => {
  await open(page, app + links[0]);
  const counted = [];
  for (const isCounted of [false, true]) {
    for (const path of [...links.slice(1), links[0]]) {
      await page.evaluate((text) => {
        window.bench.reset();
        window.bench.change = window.bench.timeClick(text);
      }, headings[path]);
      await page.locator(`nav a[href="${path}"]`).first().click();
      const ms = await page.evaluate(() => window.bench.change);
      if (isCounted) counted.push({ what: `change to ${path}`, ms, ...(await seen(page)) });
    }
  }
  return counted;
};

const write = async (page, address, text) => {
  await open(page, address);
  const field = page.locator('main textarea').first();
  await field.click();
  await page.evaluate(() => {
    window.bench.reset();
    window.bench.timeKeys();
  });
  await field.pressSequentially(text, { delay: 60 });
  return { ms: await page.evaluate(() => window.bench.slowestKeyMs), ...(await seen(page)) };
};

const measureBlank = async (page, address, text) => {
  const { readyMs } = await open(page, address);
  await page.evaluate(() => {
    window.bench.change = window.bench.timeClick('Other');
  });
  await page.locator('a').click();
  const changeMs = await page.evaluate(() => window.bench.change);
  const { ms: keyMs } = await write(page, address, text);
  return { readyMs, changeMs, keyMs };
};
