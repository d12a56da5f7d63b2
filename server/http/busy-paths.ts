import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';

/** Handlers of POST by path. A path may end with a parameter. */
export type BusyPaths = Readonly<Record<string, RequestHandler<{ action: string }>>>;
/** Returns false, without touching the request, if it is not for one of the busy paths. */
export type BusyDoor = (req: IncomingMessage, res: ServerResponse) => boolean;

type BusyRequest = Request<Record<string, string>>;
type BusyHandler = RequestHandler<Record<string, string>>;

/** Express handles parameters with other characters, such as percent-encoding. */
const plainName = /^[\w.-]{1,100}$/;

/**
 * Serves POST requests to these paths without Express, whose linear route search and wrapped middleware are slow.
 * Express has the same routes, and serves unusual spellings of these paths.
 */
export const createBusyDoor = (
  paths: BusyPaths,
  /** None of them may answer a POST, because the handler runs after them in any case. */
  middleware: readonly RequestHandler[],
  answerError: ErrorRequestHandler,
): BusyDoor => {
  const byPath = new Map<string, BusyHandler>();
  const byPrefix = new Map<string, { param: string; handler: BusyHandler }>();
  for (const [path, handler] of Object.entries(paths) as unknown as [string, BusyHandler][]) {
    const [start = '', param] = path.split(':');
    if (param === undefined) byPath.set(path, handler);
    else byPrefix.set(start, { param, handler });
  }

  const find = (req: BusyRequest) => {
    const { url } = req;
    const handler = byPath.get(url);
    if (handler) return handler;
    const end = url.lastIndexOf('/') + 1;
    const route = byPrefix.get(url.slice(0, end));
    const name = url.slice(end);
    if (route === undefined || !plainName.test(name)) return undefined;
    req.params = { [route.param]: name };
    return route.handler;
  };

  const serve = async (handler: BusyHandler, req: BusyRequest, res: Response) => {
    for (const step of middleware) step(req as unknown as Request, res, next);
    await handler(req, res, next);
  };

  return (req, res) => {
    if (req.method !== 'POST') return false;
    // The casts hold because `createHttpServer` gives both objects Express's prototypes.
    const handler = find(req as BusyRequest);
    if (handler === undefined) return false;
    serve(handler, req as BusyRequest, res as Response)
      .catch((error: unknown) => answerError(error, req as Request, res as Response, next))
      // Headers are already sent; the only way left is to drop the connection.
      .catch(() => res.destroy());
    return true;
  };
};

const next = () => undefined;
