// A service and a browser for scripts that take pictures of the app.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { chromium } from 'playwright-core';
import { findChromium } from './chromium.ts';

const root = resolve(import.meta.dirname, '..');
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

/** Resolves, when the service is ready, with its output and a function that stops it. */
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
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { output: () => output, stop };
};

/** Waits until the page stops changing. */
export const rest = (page) =>
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

/** Runs `work` with a service in a folder of its own, with the workspace of `posthorn demo` or an empty one. */
export const withService = async (work, { hasDemo = false } = {}) => {
  const executablePath = findChromium();
  if (executablePath === undefined) {
    console.error('There is no Chromium here. Install one, or set CHROMIUM_PATH to it.');
    process.exit(1);
  }
  const dir = mkdtempSync(join(tmpdir(), 'posthorn-pictures-'));
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
    const demo = hasDemo ? await makeDemo(env) : undefined;
    const { output, stop } = await startService(env);
    try {
      // Chromium's sandbox does not work as root. It only loads our own pages here.
      const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
      const browser = await chromium.launch({ executablePath, args });
      try {
        await work({ url, demo, browser, output });
      } finally {
        await browser.close();
      }
    } finally {
      await stop();
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};
