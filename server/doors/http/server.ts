import { randomUUID } from 'node:crypto';
import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Express } from 'express';
import { Refusal } from '#server/base/errors';

/**
 * An HTTP server whose requests and responses have Express's prototypes from the start. Otherwise Express would change
 * the prototype of both on every request, which makes all later use of them several times slower
 * (expressjs/express#5998).
 */
export const createHttpServer = (app: Express): Server => {
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
      // Long enough for a large file over a slow connection. Other bodies have `bounds.bodyTimeoutMs`.
      requestTimeout: 3_600_000,
      headersTimeout: 60_000,
      // Longer than the 60 s idle timeout of most load balancers: if the server closed first, they could lose a
      // request.
      keepAliveTimeout: 75_000,
      // Node would answer a request without Host with an empty body; `tagRequest` refuses it in our error shape.
      requireHostHeader: false,
    },
    app,
  );
  // Node would answer an `Expect` other than `100-continue` with an empty 417. We ignore the header instead.
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable) return socket.destroy();
    socket.end(malformed(error.code === 'HPE_HEADER_OVERFLOW'));
  });
  return server;
};

/** Our error shape for bytes that are not HTTP, for which Node makes no response object. */
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
