import { createServer } from 'node:http';
import { OpenAPIHandler } from '@orpc/openapi/node';
import { ORPCError, os } from '@orpc/server';
import { announce, pathOf } from '../../rest/servers/posts.mjs';
import { actions, admit, begin, contract } from './promises.mjs';

const base = os.use(async ({ context, next }) => {
  try {
    const { caller, headers } = await admit(context.req.headers.authorization);
    for (const [name, value] of Object.entries(headers)) context.res.setHeader(name, value);
    return next({ context: { caller } });
  } catch (cause) {
    throw new ORPCError('UNAUTHORIZED', { message: cause.message, cause });
  }
});
const router = Object.fromEntries(
  Object.entries(contract).map(([name, { input, output }]) => [
    name,
    base
      .route({ method: 'POST', path: pathOf(name) })
      .input(input)
      .output(output)
      .handler(({ context, input: parsed }) => actions[name](context.caller, parsed)),
  ]),
);
const handler = new OpenAPIHandler(router);

const server = createServer(async (req, res) => {
  const { headers, done } = begin(req);
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  res.once('close', () => done(res.statusCode));
  const { matched } = await handler.handle(req, res, { context: { req, res } });
  if (!matched) res.writeHead(404).end();
});
server.listen(0, '127.0.0.1', () => announce(server.address().port));
