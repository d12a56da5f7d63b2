// Plain Express, as its guide shows it.
import express from 'express';
import { actions, announce, callerOf, pathOf } from './posts.mjs';

const app = express();
app.use(express.json());
app.use(async (req, res, next) => {
  res.locals.caller = await callerOf(req.get('authorization'));
  next();
});
for (const [name, run] of Object.entries(actions)) {
  app.post(pathOf(name), async (req, res) => {
    res.json(await run(res.locals.caller, req.body));
  });
}
app.use((error, _req, res, _next) => {
  res.status(error.status ?? 500).json({ message: error.message });
});
const server = app.listen(0, '127.0.0.1', () => announce(server.address().port));
