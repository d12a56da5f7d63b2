import type { RequestHandler } from 'express';
import { isRead, readStaticFiles, type StaticFile, sendStaticFile, wantsPage } from './static-files.ts';

const notFoundPage = '/404.html';

/** `/help`: docs/ as pages, in the version that runs. Without the built pages the paths do not exist. */
export const helpPages = (folder: string): RequestHandler => {
  let files: ReadonlyMap<string, StaticFile> | undefined;
  return (req, res, next) => {
    if (!isRead(req)) return next();
    files ??= readStaticFiles(folder);
    const path = req.path.replace(/\/$/, '');
    const file = files.get(path) ?? files.get(path === '' ? '/index.html' : `${path}.html`);
    if (file) {
      // A deployment changes pages and their files together, so browsers ask again for both.
      sendStaticFile(req, res, file, { status: 200, cache: 'no-cache' });
      return;
    }
    const notFound = wantsPage(req) ? files.get(notFoundPage) : undefined;
    if (notFound === undefined) return next();
    sendStaticFile(req, res, notFound, { status: 404, cache: 'no-store' });
  };
};
