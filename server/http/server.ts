import { randomUUID } from 'node:crypto';
import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Express } from 'express';
import { Refusal } from '#server/errors';

/**
 * An HTTP server whose requests and responses have Express's prototypes from the start. Express would else change the
 * prototype of both on every request, which makes all later use of them several times slower (expressjs/express#5998).
 */
export const serverFor = (app: Express): Server => {
  class Request extends IncomingMessage {}
  class Response extends ServerResponse {}
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  app.request = Request.prototype as unknown as Express['request'];
  app.response = Response.prototype as unknown as Express['response'];
  const server = createServer(
    {
      IncomingMessage: Request,
      ServerResponse: Response,
      // A large file over a slow line. Headers have a minute; so have bodies that are no file.
      requestTimeout: 3_600_000,
      headersTimeout: 60_000,
      // Longer than the 60 s after which most load balancers let go: the server must never be the first to close.
      keepAliveTimeout: 75_000,
      // Node would refuse a request without Host with an empty answer; `tagRequest` does it in our error shape.
      requireHostHeader: false,
    },
    app,
  );
  // Node would refuse what a client expects beside `100-continue` with an empty answer. Nothing here depends on it.
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable) return socket.destroy();
    socket.end(malformed(error.code === 'HPE_HEADER_OVERFLOW'));
  });
  return server;
};

/** The error shape also for what is not HTTP, where there is no response object yet. */
const malformed = (isTooLarge: boolean) => {
  const message = isTooLarge ? 'The headers are too large.' : 'This is not a valid HTTP request.';
  const body = JSON.stringify(new Refusal('BadInput', message).body);
  return [
    'HTTP/1.1 400 Bad Request',
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${randomUUID()}`,
    'connection: close',
    '',
    body,
  ].join('\r\n');
};
