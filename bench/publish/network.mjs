// The network that both senders publish to. Its two endpoints record when a post arrives and do nothing else.
// The in-memory sandbox network handles everything else, such as connecting the account.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import express from 'express';
import { sandboxes } from '../../generated/sandboxes.ts';
import { createMemorySandboxStore } from '../../server/simulation/sandbox/memory-records.ts';
import { createSandboxes } from '../../server/simulation/sandbox/sandboxes.ts';

export const startNetwork = async () => {
  const arrivals = new Map();
  const arrived = (text) => arrivals.set(text, Date.now());
  const ways = new Map([
    [
      '/bare',
      async (req) => {
        const { text } = await json(req);
        arrived(text);
        return { id: text };
      },
    ],
    [
      '/sandbox/bluesky/pds/xrpc/com.atproto.repo.applyWrites',
      async (req) => {
        const { repo, writes } = await json(req);
        arrived(writes[0].value.text);
        return {
          results: writes.map(({ collection, rkey }) => ({ uri: `at://${repo}/${collection}/${rkey}`, cid: rkey })),
        };
      },
    ],
    [
      '/arrivals',
      async () => {
        const seen = Object.fromEntries(arrivals);
        arrivals.clear();
        return seen;
      },
    ],
  ]);
  const twin = startTwin();
  const server = createServer(async (req, res) => {
    const way = ways.get(req.url);
    if (way === undefined) return twin(req, res);
    const answer = JSON.stringify(await way(req));
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) });
    res.end(answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: server.address().port };
};

const startTwin = () => {
  const clock = { now: () => new Date() };
  const folders = { bluesky: sandboxes.bluesky };
  const store = createMemorySandboxStore();
  const { router } = createSandboxes({ folders, store, clock, baseUrl: '', fetchMedia: async () => undefined });
  return express().use(router());
};
