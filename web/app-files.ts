import { ConnectionError } from '#generated/app-client';

/** A file of the app did not come, because the server cannot be reached. */
class FileNotReached extends ConnectionError {}

const isReachable = () =>
  fetch('/favicon.svg', { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  );

/**
 * After an update of the server the files of an open tab are gone: the page is read anew, but not in a circle. Without a
 * connection that would leave the app for the browser's own page of errors.
 */
export const watchFiles = () => {
  const key = 'posthorn-reloaded-for';
  window.addEventListener('vite:preloadError', async () => {
    if (sessionStorage.getItem(key) === location.href || !(await isReachable())) return;
    sessionStorage.setItem(key, location.href);
    location.reload();
  });
};

/** The file of a page. One that is missing is told apart from one that cannot be reached. */
export const fileOfPage =
  <Page>(load: () => Promise<Page>) =>
  () =>
    load().catch(async (cause: unknown) => {
      throw (await isReachable()) ? cause : new FileNotReached('no answer', { cause });
    });

/** As browsers and the bundler say it of what is loaded inside a page. */
const missing = /dynamically imported module|module script failed|preload CSS/i;

/** The error to show: for a file that did not come, that the server does not answer. */
export const faultOfFiles = (error: unknown) =>
  error instanceof Error && missing.test(error.message) ? new FileNotReached('no answer', { cause: error }) : error;

export const isFileFault = (error: unknown) => error instanceof FileNotReached;

/** A file that failed once is remembered as failed, so the page begins anew; but only when it can. */
export const loadAgain = async () => {
  if (await isReachable()) location.reload();
};
