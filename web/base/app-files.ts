import { ConnectionError } from '#generated/app-client';
import { formDrafts } from './form-drafts.ts';

/** A file of the app failed to load because the server is unreachable. */
class FileNotReached extends ConnectionError {}

const isReachable = () =>
  fetch('/favicon.svg', { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  );

/**
 * Reloads the tab, because a deployment removes the files of open tabs. The reload may come at any time, even when the
 * person only hovers over a link, so form input is stored first. It happens once per URL, since an extension may block
 * a file permanently. It does not happen while the server is unreachable, because the browser's error page would
 * replace the app.
 */
export const reloadOnce = async () => {
  const key = 'posthorn-reloaded-for';
  if (sessionStorage.getItem(key) === location.href || !(await isReachable())) return;
  sessionStorage.setItem(key, location.href);
  formDrafts.store();
  location.reload();
};

export const watchFiles = () => window.addEventListener('vite:preloadError', reloadOnce);

/** Loads a page. Tells a missing file (new release) from an unreachable server. */
export const createPageLoader =
  <Page>(load: () => Promise<Page>) =>
  () =>
    load().catch(async (cause: unknown) => {
      throw (await isReachable()) ? cause : new FileNotReached('no answer', { cause });
    });

/** Messages of browsers and of Vite for a failed dynamic import. */
const importFailure = /dynamically imported module|module script failed|preload CSS/i;

/** Turns a failed import into the error for an unreachable server. */
export const toFileFault = (error: unknown) =>
  error instanceof Error && importFailure.test(error.message)
    ? new FileNotReached('no answer', { cause: error })
    : error;

export const isFileFault = (error: unknown) => error instanceof FileNotReached;

/** Browsers cache a failed import, so only a reload loads it; offline that would lose the page. */
export const reloadIfReachable = async () => {
  if (await isReachable()) location.reload();
};
