// posts.get, posts.list and posts.create through the whole service, beside the same work on other servers.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { contest } from '../contest.mjs';
import { sources } from './servers/statements.mjs';

const listed = 50;

const text =
  'Posthorn 0.1 is out 🎉 One draft, thirteen networks, and a human has the last word. ' +
  'Read how it works at https://example.com/posthorn/release-notes and tell us what is missing. #opensource';

export const measure = (options) =>
  contest(
    {
      title: 'rest',
      intro: ' with the same prepared statements and a check by hand',
      connections: 32,
      enter: enterWith(startServers),
    },
    options,
  );

/** `start(place, { others, blink })` starts the servers; the server named Posthorn creates the posts. */
export const enterWith =
  (start) =>
  async (place, { others = [], blink }) => {
    mustBeStatementsOfTheService(place.cli);
    const servers = await start(place, { others, blink });
    const posthorn = servers.find(({ name }) => name === 'Posthorn');
    const { token } = await place.setUp();
    const accountIds = [];
    for (const network of ['mastodon', 'bluesky']) accountIds.push((await place.account(posthorn.url, network)).id);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const pathOf = (action) => `/api/agent/tools/${action}`;
    const call = async ({ url }, action, body) => {
      const answer = await fetch(url + pathOf(action), { method: 'POST', headers, body: JSON.stringify(body) });
      const content = await answer.json();
      assert.equal(answer.status, 200, `${action}: ${JSON.stringify(content)}`);
      return content.result?.data ?? content; // tRPC wraps it
    };

    const draft = { accountIds, body: text };
    const ids = await makePosts((action, body) => call(posthorn, action, body), draft, blink ? 4 : 2 * listed);
    const created = await keepCreatedAway(place.config, ids.at(-1));

    const bodies = {
      'posts.get': ids.map((id) => ({ id })),
      'posts.list': [{ limit: listed }],
      'posts.create': [draft],
    };
    await mustAnswerAlike(servers, call, bodies);
    await created.forget();

    const work = Object.fromEntries(
      Object.entries(bodies).map(([action, inputs]) => [
        action === 'posts.list' ? `posts.list, ${listed} posts` : action,
        { path: pathOf(action), headers, bodies: inputs.map((input) => JSON.stringify(input)) },
      ]),
    );
    return {
      servers,
      work,
      afterVisit: async (what) => {
        if (what === 'posts.create') await created.forget();
      },
      close: created.close,
    };
  };

/** The comparison is fair only if every contender runs the service's own SQL. */
const mustBeStatementsOfTheService = (cli) => {
  // The compiler renames the expressions inside placeholders, so compare without them.
  const plain = (sql) => sql.replaceAll(/\$\{[^}]*\}/g, '{}').replaceAll(/\s+/g, ' ');
  const service = plain(textOf(cli));
  for (const [name, source] of Object.entries(sources)) {
    if (!service.includes(plain(source)))
      throw new Error(`The statement ${name} in statements.mjs is not the service's.`);
  }
};

/** The text of a file and all files it loads. Chunks of earlier builds in the folder do not count. */
const textOf = (file, seen = new Set()) => {
  if (seen.has(file)) return '';
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  const named = [...text.matchAll(/["']\.\/([\w.-]+\.js)["']/g)].map(([, name]) => join(dirname(file), name));
  // Comments of bundled packages mention file names too, so skip files that do not exist.
  const parts = named.filter((part) => existsSync(part));
  return [text, ...parts.map((part) => textOf(part, seen))].join('\n');
};

const startServers = async ({ contender, service }, { others, blink }) => [
  await contender('bare node:http', 'rest/servers/bare.mjs'),
  // One after the other: the first one makes the tables.
  await service('Posthorn'),
  ...(blink ? [] : [await service('Posthorn, LOG_LEVEL=warn', { LOG_LEVEL: 'warn' })]),
  ...(await Promise.all(others.map((other, i) => service(`Posthorn, build ${i + 2}`, {}, other)))),
  await contender('Fastify 5', 'rest/servers/fastify.mjs'),
  await contender('Express 5', 'rest/servers/express.mjs'),
  await contender('NestJS 12 on Express', 'rest/servers/nest.mjs'),
];

const makePosts = async (call, draft, count) => {
  const ids = [];
  for (let i = 0; i < count; i++) {
    const { id } = await call('posts.create', draft);
    const versions = [
      { content: [{ body: text }] },
      { accountId: draft.accountIds[1], content: [{ body: text }], options: { 'bluesky.reply_control': 'nobody' } },
    ];
    await call('posts.update', { id, accountIds: draft.accountIds, versions });
    ids.push(id);
  }
  return ids;
};

/** Deletes the posts that a visit created, so that every visit finds the same posts. */
const keepCreatedAway = async (config, lastId) => {
  const db = new pg.Client(config);
  db.on('error', () => undefined); // the database stops under it when we are interrupted
  await db.connect();
  await db.query('vacuum analyze');
  return {
    forget: async () => {
      await sleep(100); // requests aborted at the end of a visit may still be in flight
      await db.query('delete from posts where id > $1', [lastId]);
      await db.query('vacuum posts');
    },
    close: () => db.end(),
  };
};

const mustAnswerAlike = async (servers, call, bodies) => {
  const shown = { 'posts.create': (post) => ({ ...post, id: '', updatedAt: '' }) };
  for (const [action, [input]] of Object.entries(bodies)) {
    const { [action]: show = (answer) => answer } = shown;
    const expected = show(await call(servers[0], action, input));
    for (const server of servers) assert.deepEqual(show(await call(server, action, input)), expected);
  }
};
