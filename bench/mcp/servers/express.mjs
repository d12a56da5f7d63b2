// The 1.00 baseline: two plain JSON routes, without versions, scopes or protocol.
import express from 'express';
import { actions, announce, callerOf } from '../../rest/servers/posts.mjs';
import { tools } from './catalog.mjs';

const app = express();
app.use(express.json());
app.use(async (req, res, next) => {
  res.locals.caller = await callerOf(req.get('authorization'));
  next();
});
app.post('/mcp', async (req, res) => {
  const { id, method, params } = req.body;
  const result =
    method === 'tools/list'
      ? { tools }
      : { structuredContent: await actions['posts.get'](res.locals.caller, params.arguments) };
  res.json({ jsonrpc: '2.0', id, result });
});
app.use((error, _req, res, _next) => {
  res.status(error.status ?? 500).json({ message: error.message });
});
const server = app.listen(0, '127.0.0.1', () => announce(server.address().port));
