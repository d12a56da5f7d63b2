import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { announce, pathOf } from '../../rest/servers/posts.mjs';
import { actions, admit, begin, run } from './promises.mjs';

const setAll = (c, headers) => {
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
};

const app = new Hono();
app.use(async (c, next) => {
  const sent = { 'x-request-id': c.req.header('x-request-id') };
  const { headers, done } = begin({ headers: sent, method: c.req.method, url: c.req.path });
  await next();
  setAll(c, headers);
  done(c.res.status);
});
app.use(async (c, next) => {
  const { caller, headers } = await admit(c.req.header('authorization'));
  c.set('caller', caller);
  setAll(c, headers);
  await next();
});
for (const name of Object.keys(actions)) {
  app.post(pathOf(name), async (c) => c.json(await run(name, c.get('caller'), await c.req.json())));
}
app.onError((error, c) => c.json({ message: error.message }, error.status ?? 500));
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => announce(port));
