import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Statement, ValuesArgument } from '#server/base/store/database';
import { rowsRead } from '#test/support/rows-read';
import { type Service, startService } from '#test/support/service';

const posts = 20_000;
let service: Service;
let account: string;

/** Scheduled over the next four weeks, and all of them blocked, as when their only account was disconnected. */
beforeAll(async () => {
  service = await startService();
  account = await service.addAccount('mastodon');
  await withClient(async (client) => {
    await client.query(
      `insert into posts (id, workspace_id, status, account_ids, versions, scheduled_at, created_by)
       select 'post_' || lpad(n::text, 6, '0'), $1, 'Scheduled', array[$2],
              '[{"content": [{"body": "A post of usual length.", "media": []}], "options": {}}]',
              date_trunc('minute', now()) + n * interval '2 minutes', 'usr'
         from generate_series(1, $3::int) n`,
      [service.owner.workspaceId, account, posts],
    );
    await client.query(
      `insert into forecasts (workspace_id, post_id, scheduled_at, content_key, entries)
       select workspace_id, id, scheduled_at, '', '[{"code": "disconnected", "level": "Blocks", "short": "account disconnected", "message": "It was disconnected."}]' from posts`,
    );
    await client.query('vacuum analyze posts, forecasts');
  });
});
afterAll(() => service.stop());

const withClient = async <Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> => {
  const client = new pg.Client(service.parts);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

/** The statements that the service makes meanwhile, and how many rows each of them gets. */
const statementsOf = async (work: () => Promise<unknown>) => {
  const made: { name: string; text: string; values: readonly unknown[]; rows: number }[] = [];
  const { query } = service.database;
  service.database.query = async <Values, Row>(
    statement: Statement<Values, Row>,
    ...values: ValuesArgument<Values>
  ) => {
    const rows = await query(statement, ...values);
    made.push({ name: statement.name, text: statement.text, values: values.flat(), rows: rows.length });
    return rows;
  };
  await work();
  service.database.query = query;
  return made;
};

test('Home reads the posts that it shows, and counts the others in the database', async () => {
  const browser = service.browser();
  await browser.signIn();
  const made = await statementsOf(async () => {
    const { body } = await browser.get('/api/app/forecast');
    expect(body).toMatchObject({ planned: posts, blocked: posts });
    expect(body.posts).toHaveLength(20);
  });
  expect(made.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThan(200);
  const first = made.filter(({ name }) => name === 'posts.foreseen');
  expect(first).toHaveLength(2);
  await withClient(async (client) => {
    for (const { text, values } of first) {
      expect(await rowsRead(client, text, values)).toBeLessThan(200);
    }
  });
});
