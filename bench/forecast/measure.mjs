// A check of every scheduled post of a workspace beside a bare read of the same posts: CPU of the service alone.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { callOf } from '../call-actions.mjs';
import { atPlace } from '../place.mjs';
import { cpuSeconds } from '../processes.mjs';
import { median, ratio, say, spread, table } from '../table.mjs';

const networks = ['mastodon', 'bluesky', 'x', 'linkedin', 'threads'];
const accounts = networks.map((network) => `acct_${network}`);
const days = 30;
const quietMs = 1500;
const pollMs = 50;

export const measure = ({ rounds = 7, posts: count, blink }) =>
  atPlace({ blink }, async (shared) => {
    const posts = count ?? (blink ? 20 : 2000);
    // With --blink nothing has to be undisturbed.
    const place = blink ? shared : await shared.apart();
    const { workspaceId, token } = await place.setUp();
    const service = await place.service('Posthorn');
    const db = new pg.Client(place.config);
    db.on('error', () => undefined); // the database stops under it when we are interrupted
    await db.connect();
    await addAccounts(db, workspaceId);
    await fill(db, { workspaceId, posts });
    const call = callOf(service.url, token);
    // A change to any post triggers a check.
    const draft = () => call('posts.create', { body: 'A draft' });
    const all = { db, service, workspaceId, posts };

    say('the first check …');
    const first = await checked(all, draft);
    const samples = [];
    for (let round = 1; round <= rounds; round++) {
      say(`round ${round} of ${rounds} …`);
      const bare = await readBare(db, workspaceId, posts);
      await db.query(
        `update posts set updated_at = now()
          where id = (select id from posts where workspace_id = $1 and status = 'Scheduled' limit 1)`,
        [workspaceId],
      );
      const one = await checked(all, draft);
      // As on a new day: everything is examined.
      await db.query("update forecasts set content_key = '' where workspace_id = $1", [workspaceId]);
      const whole = await checked(all, draft);
      samples.push({ bare, one, whole });
    }
    if (process.stderr.isTTY) say('');
    await db.end();
    return {
      text: report({ posts, first, samples }),
      values: { 'first check': first, 'one post': median(samples.map(({ one }) => one)) },
    };
  });

/** Nothing is published, so they need no tokens. */
const addAccounts = (db, workspaceId) =>
  db.query(
    `insert into accounts (id, workspace_id, network, external_id, name, handle, sandbox)
     select 'acct_' || network, $1, network, network, 'Name', 'handle', true from unnest($2::text[]) as network`,
    [workspaceId, networks],
  );

/** Scheduled over the next days, one a minute at most, for two of the accounts each. */
const fill = (db, { workspaceId, posts }) =>
  db.query(
    `insert into posts (id, workspace_id, status, account_ids, versions, created_by, scheduled_at)
     select 'post_01' || lpad(upper(to_hex(i)), 8, '0') || upper(substr(md5($1 || i), 1, 16)), $1, 'Scheduled',
            array[($2::text[])[1 + i % 5], ($2::text[])[1 + (i + 1) % 5]],
            jsonb_build_array(jsonb_build_object('options', '{}'::jsonb, 'content', jsonb_build_array(
              jsonb_build_object('body', repeat('A text of some length. ', 7) || i, 'media', '[]'::jsonb)))), 'bench',
            date_trunc('minute', now()) + interval '1 day' + i * $3::interval / $4
       from generate_series(1, $4::int) as i`,
    [workspaceId, accounts, `${days - 2} days`, posts],
  );

/** CPU seconds of the service from a change until the check after it has ended and nothing else is under way. */
const checked = async ({ db, service, workspaceId, posts }, change) => {
  const stateOf = async () => {
    const { rows: found } = await db.query(
      `select count(*)::int as checked, (select checked_at::text from forecast_checks where workspace_id = $1) as at
         from forecasts where workspace_id = $1 and content_key <> ''`,
      [workspaceId],
    );
    return found[0];
  };
  const before = await stateOf();
  const begun = cpuSeconds(service.pid);
  await change();
  for (;;) {
    const { checked: done, at } = await stateOf();
    if (done === posts && at !== before.at) break;
    await sleep(pollMs);
  }
  await sleep(quietMs);
  return cpuSeconds(service.pid) - begun;
};

/** The unavoidable work: reading the posts from the database as objects. CPU seconds of this process. */
const readBare = async (db, workspaceId, expected) => {
  const begun = process.cpuUsage();
  const { rows } = await db.query(
    `select id, scheduled_at, account_ids, versions from posts where workspace_id = $1 and status = 'Scheduled'`,
    [workspaceId],
  );
  const { user, system } = process.cpuUsage(begun);
  assert.equal(rows.length, expected);
  return (user + system) / 1e6;
};

const report = ({ posts, first, samples }) => {
  const seconds = (values) => spread(values).middle.toFixed(3);
  const row = (name, values) => [
    name,
    seconds(values),
    ratio(values.map((value, round) => value / samples[round].bare)),
  ];
  return [
    '## forecast',
    '',
    `CPU seconds of the service from a change in a workspace with ${posts} scheduled posts until its forecast is current, and as`,
    'a multiple of reading the same posts with pg in the same round; lower is better. The first check is that of a process',
    `that has just started. Median [quartiles] of ${samples.length} rounds.`,
    '',
    table(
      ['check', 'CPU, s', 'to a bare read'],
      [
        ['bare read', seconds(samples.map(({ bare }) => bare)), '1.00'],
        ['the first', first.toFixed(3), ''],
        row(
          'every post, as once a day',
          samples.map(({ whole }) => whole),
        ),
        row(
          'one changed post',
          samples.map(({ one }) => one),
        ),
      ],
    ),
    '',
  ].join('\n');
};
