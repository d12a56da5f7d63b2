import type { Request, RequestHandler, Response } from 'express';
import { isPagePath } from '#web/base/paths.ts';
import {
  contentSecurity,
  isRead,
  readStaticFiles,
  type StaticFile,
  sendStaticFile,
  wantsPage,
} from './static-files.ts';

/** The service worker shows push messages and fetches nothing. */
const workerPath = '/push-worker.js';
const workerSecurity = "default-src 'none'";

/** Built files have a hash in their name. */
const hashedPath = /^\/assets\/[\w.-]+$/;
const fontPath = '/geist.woff2';
const fontFile = /^\/assets\/geist-latin-wght-normal[\w.-]*\.woff2$/;
/** How often to redirect for a hashed file that this process lacks: during a deployment another process may have it. */
const maxTries = 10;
const retryDelayMs = 100;

export type WebApp = ReturnType<typeof createWebApp>;

/** Serves the built web app in `folder`: its files, and its page for every path that a person opens. */
export const createWebApp = (folder: string) => {
  let files: ReadonlyMap<string, StaticFile> | undefined;
  const find = (path: string) => {
    files ??= readStaticFiles(folder);
    return files.get(path);
  };

  /** Browsers request /favicon.ico by themselves; pages that are not part of a build use the font without its hash. */
  const aliasOf = (path: string) => {
    if (path === '/favicon.ico') return '/favicon.svg';
    if (path !== fontPath) return path;
    find(path);
    return [...(files?.keys() ?? [])].find((name) => fontFile.test(name)) ?? path;
  };

  const send = (req: Request, res: Response, file: StaticFile, status: number, cache: string) =>
    sendStaticFile(req, res, file, {
      status,
      cache,
      security: req.path === workerPath ? workerSecurity : contentSecurity,
    });

  const sendPage = (req: Request, res: Response, status: number, cache: 'no-cache' | 'no-store' = 'no-cache') => {
    const takesPage = status === 404 ? wantsPage(req) : acceptsPage(req);
    const page = isRead(req) && takesPage ? find('/index.html') : undefined;
    if (page === undefined) return false;
    send(req, res, page, status, cache);
    return true;
  };

  return {
    /** Returns false if the client does not accept HTML. `no-store` is for secret addresses. */
    sendPage,

    /** Hashed files never change; browsers revalidate the others. */
    files: ((req, res, next) => {
      if (!isRead(req)) return next();
      const path = aliasOf(req.path);
      const file = path === '/index.html' ? undefined : find(path);
      const isHashed = hashedPath.test(req.path);
      if (file) send(req, res, file, 200, isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
      else if (isHashed) retryElsewhere(req, res, next);
      else next();
    }) satisfies RequestHandler,

    pages: ((req, res, next) => {
      if (!isPagePath(req.path) || !sendPage(req, res, 200)) next();
    }) satisfies RequestHandler,

    /** The last handler: browsers get the app's Not found page, programs the error shape. */
    notFound: ((req, res, next) => {
      if (/^\/(api|\.well-known)\//.test(req.path) || !sendPage(req, res, 404)) next();
    }) satisfies RequestHandler,
  };
};

/** During a deployment: redirect over a new connection, so that the load balancer picks another process. */
const retryElsewhere: RequestHandler = (req, res, next) => {
  const tries = Number(req.query.again ?? 0);
  if (!Number.isInteger(tries) || tries < 0 || tries >= maxTries) return next();
  setTimeout(() => {
    const location = `${req.path}?again=${tries + 1}`;
    res.writeHead(307, { location, 'cache-control': 'no-store', connection: 'close' }).end();
  }, retryDelayMs);
};

/** Pages go to every client that does not exclude HTML, such as curl and monitors. */
const acceptsPage = (req: Request) => req.accepts('html') !== false;
