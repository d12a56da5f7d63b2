import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PostGroup } from '#contracts/posts';
import { search } from '#server/writing/posts/overview-store';
import { type FreshDatabase, freshDatabase } from '#test/support/database';
import { rowsRead } from '#test/support/rows-read';

const posts = 20_000;
let fresh: FreshDatabase;
let client: pg.Client;

/** Of twenty posts, seventeen are published, two scheduled, and one is a draft. */
beforeAll(async () => {
  fresh = await freshDatabase({ isMigrated: true });
  client = new pg.Client(fresh.parts);
  await client.connect();
  await client.query(`insert into workspaces (id, name) values ('ws', 'Full')`);
  await client.query(
    `insert into posts (id, workspace_id, status, account_ids, versions, scheduled_at, created_by, updated_at)
     select 'post_' || lpad(n::text, 6, '0'), 'ws',
            case when n % 20 = 0 then 'Draft' when n % 20 < 3 then 'Scheduled' else 'Published' end, '{account}',
            '[{"content": [{"body": "A post of usual length, with a sentence or two.", "media": []}]}]',
            case when n % 20 > 0 then timestamptz '2026-01-01' + n * interval '10 minutes' end, 'usr',
            timestamptz '2025-01-01' + n * interval '1 minute'
       from generate_series(1, $1::int) n`,
    [posts],
  );
  await client.query(
    `insert into published_posts (post_id, workspace_id, published_at, last_published_at, engagement)
     select id, workspace_id, scheduled_at, scheduled_at, 0 from posts where status = 'Published'`,
  );
  await client.query('vacuum analyze posts, published_posts');
});
afterAll(async () => {
  await client.end();
  await fresh.drop();
});

const rowsReadFor = (group: PostGroup, from: string | null = null, to: string | null = null) => {
  const { text, names = [] } = search[group];
  const filter = { workspaceId: 'ws', query: '', accountIds: [], labelIds: [], status: null, ids: [], from, to };
  const values = new Map<string, unknown>(Object.entries({ ...filter, afterAt: null, afterId: null, limit: 51 }));
  return rowsRead(
    client,
    text,
    names.map((name) => values.get(name)),
  );
};

test.each(['Recent', 'Drafts', 'Scheduled'] as const)(
  'a page of %s costs its own posts, not all posts',
  async (group) => {
    expect(await rowsReadFor(group)).toBeLessThan(2000);
  },
);

test('a day of the calendar costs the posts of that day, not all posts', async () => {
  expect(await rowsReadFor('Timed', '2026-03-01', '2026-03-02')).toBeLessThan(2000);
});
