import { createServer } from 'node:http';
import { initTRPC, TRPCError } from '@trpc/server';
import { createHTTPHandler } from '@trpc/server/adapters/standalone';
import { announce, pathOf } from '../../rest/servers/posts.mjs';
import { actions, admit, begin, contract } from './promises.mjs';

const t = initTRPC.context().create();
const procedure = t.procedure.use(async ({ ctx, next }) => {
  try {
    const { caller, headers } = await admit(ctx.req.headers.authorization);
    for (const [name, value] of Object.entries(headers)) ctx.res.setHeader(name, value);
    return next({ ctx: { caller } });
  } catch (cause) {
    throw new TRPCError({ code: 'UNAUTHORIZED', message: cause.message, cause });
  }
});
const posts = Object.fromEntries(
  Object.entries(contract).map(([name, { input, output }]) => [
    name.slice('posts.'.length),
    procedure
      .input(input)
      .output(output)
      .mutation(({ ctx, input: parsed }) => actions[name](ctx.caller, parsed)),
  ]),
);
const handle = createHTTPHandler({
  router: t.router({ posts: t.router(posts) }),
  createContext: ({ req, res }) => ({ req, res }),
});

const prefix = pathOf('').length;
const server = createServer((req, res) => {
  const { headers, done } = begin(req);
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  res.once('close', () => done(res.statusCode));
  req.url = `/${req.url.slice(prefix)}`;
  handle(req, res);
});
server.listen(0, '127.0.0.1', () => announce(server.address().port));
