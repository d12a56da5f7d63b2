// node:http and the leanest SQL: what an answer over HTTP costs at least.
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import pg from 'pg';
import { leanest } from './leanest.mjs';

const db = new pg.Client();
await db.connect();

/** The fastest SQL per workspace and accounts, determined once. */
const ways = new Map();

const totals = async (values) => {
  const key = JSON.stringify(values);
  if (!ways.has(key)) ways.set(key, await leanest(db, values));
  return ways.get(key)();
};

const server = createServer(async (req, res) => {
  const text = JSON.stringify({ totals: await totals(await json(req)) });
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  res.end(text);
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
