// Plain node:http: the 1.00 baseline.
import { createServer } from 'node:http';
import { actions, announce, callerOf, pathOf, Refused } from './posts.mjs';

const routes = new Map(Object.entries(actions).map(([name, run]) => [pathOf(name), run]));

const bodyOf = (req) =>
  new Promise((resolve, reject) => {
    const chunks = [];
    req.on('data', (chunk) => chunks.push(chunk));
    req.on('end', () => {
      try {
        resolve(JSON.parse(Buffer.concat(chunks).toString()));
      } catch {
        reject(new Refused(400, 'body: must be JSON'));
      }
    });
    req.on('error', reject);
  });

const answer = (res, status, body) => {
  const text = JSON.stringify(body);
  res.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  res.end(text);
};

const server = createServer(async (req, res) => {
  try {
    const run = req.method === 'POST' && routes.get(req.url);
    if (!run) throw new Refused(404, 'There is nothing here.');
    const caller = await callerOf(req.headers.authorization);
    answer(res, 200, await run(caller, await bodyOf(req)));
  } catch (error) {
    answer(res, error instanceof Refused ? error.status : 500, { message: error.message });
  }
});
server.listen(0, '127.0.0.1', () => announce(server.address().port));
