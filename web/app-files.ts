import { ConnectionError } from '#generated/app-client';
import { formDrafts } from '#web/parts/form-drafts.ts';

/** A file of the app failed to load because the server is unreachable. */
class FileNotReached extends ConnectionError {}

const isReachable = () =>
  fetch('/favicon.svg', { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  );

/**
 * After a deployment the files of an open tab are gone, so the tab reloads. Pointing at a link is enough, so what was
 * entered into forms is stored. Once per address, since an extension may block a file for good. Not while offline: that
 * would replace the app with the browser's error page.
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

/** Turns a failed import into the error that the server does not answer. */
export const toFileFault = (error: unknown) =>
  error instanceof Error && importFailure.test(error.message)
    ? new FileNotReached('no answer', { cause: error })
    : error;

export const isFileFault = (error: unknown) => error instanceof FileNotReached;

/** Browsers cache a failed import, so only a reload loads it; offline that would lose the page. */
export const reloadIfReachable = async () => {
  if (await isReachable()) location.reload();
};
