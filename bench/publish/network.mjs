// The sandbox network that is published to, with everything in memory, and a bare path beside it: both note when a post came.
import { once } from 'node:events';
import express from 'express';
import { sandboxes } from '../../generated/sandboxes.ts';
import { createMemorySandboxStore } from '../../server/sandbox/memory-store.ts';
import { createSandboxes } from '../../server/sandbox/serve.ts';

export const startNetwork = async () => {
  const arrivals = new Map();
  const store = createMemorySandboxStore();
  const noting = {
    ...store,
    add: (record) => {
      if (record.kind === 'post') arrivals.set(record.value.text, Date.now());
      return store.add(record);
    },
  };
  const clock = { now: () => new Date() };
  // Every further one would look at each request first.
  const folders = { bluesky: sandboxes.bluesky };
  const { router } = createSandboxes({ folders, store: noting, clock, baseUrl: '', fetchMedia: async () => undefined });
  const app = express().disable('x-powered-by').disable('etag');
  app.post('/bare', express.json(), (req, res) => {
    arrivals.set(req.body.text, Date.now());
    res.json({ id: req.body.text });
  });
  app.get('/arrivals', (_req, res) => {
    res.json(Object.fromEntries(arrivals));
    arrivals.clear();
  });
  app.use(router());
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: server.address().port };
};
