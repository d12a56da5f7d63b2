import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Post } from '#contracts/posts';
import { sql } from '#server/base/store/database';
import { publicationsOf } from '#test/support/publications';
import { type Service, startService } from '#test/support/service';
import { accountCalled, type Person, rowsOf, through, tryFile } from '#test/support/transfer';
import { until } from '#test/support/until';

let service: Service;
let person: Person;
let anna: string;
let ada: string;
beforeAll(async () => {
  service = await startService();
  person = service.browser();
  await person.signIn();
  anna = await accountCalled(service, 'bluesky', 'anna.example');
  ada = await accountCalled(service, 'mastodon', 'ada@bakers.example');
});
afterAll(() => service.stop());

const fetched = (query: string, as: Person = person, init: RequestInit = {}) =>
  fetch(`${service.url}/api/app/export?${query}`, { ...init, headers: { cookie: as.cookie() } });
const exported = async (query: string, as?: Person) => {
  const answer = await fetched(query, as);
  expect(answer.status).toBe(200);
  return answer.text();
};
const table = (csv: string): Record<string, string>[] => parse(csv, { columns: true, bom: true });

/** A workspace of its own with accounts that are called the same. */
const otherWorkspace = async () => {
  const { email, workspaceId } = await service.addWorkspace();
  const names = new Map<string, string>();
  names.set(await accountCalled(service, 'mastodon', 'ada@bakers.example', workspaceId), ada);
  names.set(await accountCalled(service, 'bluesky', 'anna.example', workspaceId), anna);
  const stranger = service.browser();
  await stranger.signIn(email);
  return { stranger, workspaceId, nameHere: (id: string) => names.get(id) ?? id };
};

/** The full content of a post, with its files as bytes and alternative texts. */
const contentOf = async (posts: readonly Post[], nameHere = (id: string) => id) => {
  const files = async (ids: string[]) =>
    Promise.all(
      ids.map(async (id) => {
        const bytes = Buffer.from(await (await fetch(`${service.url}/media/${id}`)).arrayBuffer()).toString('base64');
        const [item] = await service.database.query(
          sql('test.alt', 'select alt from media where id = $1').holds<{ alt: string | null }>(),
          [id],
        );
        return { bytes, alt: item?.alt };
      }),
    );
  const all = await Promise.all(
    posts.map(async ({ accountIds, versions, scheduledAt }) => ({
      accountIds: accountIds.map(nameHere).sort(),
      scheduledAt,
      versions: await Promise.all(
        versions.map(async ({ accountId, content, options }) => ({
          accountId: accountId && nameHere(accountId),
          options,
          content: await Promise.all(content.map(async ({ body, media }) => ({ body, media: await files(media) }))),
        })),
      ),
    })),
  );
  return all.sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
};

const postsIn = async (workspaceId: string) => {
  const caller = { userId: '', workspaceId, role: 'owner', mayPublish: true, isPerson: true } as const;
  const ids = await service.database.query(
    sql('test.posts', 'select id from posts where workspace_id = $1').holds<{ id: string }>(),
    [workspaceId],
  );
  return Promise.all(ids.map(({ id }) => service.posthorn.reading.get(caller, id)));
};

describe('an export', () => {
  beforeAll(async () => {
    const [horn, bell, dog] = [await service.addFile(), await service.addFile(), await service.addFile()];
    await person.patch(`/api/media/${bell}`, { alt: 'A bell,\n"of" brass' });
    const add = async (accountIds: string[], versions: object[], scheduledAt = '') => {
      const { id } = await service.client.posts.create({ accountIds });
      await service.call('posts.update', { id, accountIds, versions, scheduledAt });
    };
    await add([anna, ada], [{ content: [{ body: '=SUM(A1)\r\n"quoted", and more', media: [horn, bell] }] }]);
    await person.patch(`/api/media/${dog}`, { alt: '[1] dog' });
    await add([], [{ content: [{ body: "'=already", media: [horn, dog] }] }], '2090-01-01T08:30:00Z');
    await add(
      [ada, anna],
      [
        {
          content: [
            { body: '-1/2', media: [] },
            { body: '\t2/2', media: [bell] },
          ],
          options: { 'bluesky.reply_control': 'nobody', 'mastodon.spoiler_text': 'two words' },
        },
        {
          accountId: ada,
          content: [{ body: '@ada only', media: [horn] }],
          options: { 'mastodon.visibility': 'unlisted' },
        },
      ],
    );
    await add([], [{ content: [{ body: '' }] }]);
  });

  test.each(['json', 'csv'])('as %s, imported into a second workspace, gives equal posts', async (format) => {
    const { stranger, workspaceId, nameHere } = await otherWorkspace();
    const read = await tryFile(service, stranger, await exported(`format=${format}&part=posts`));
    expect(read).toMatchObject({ status: 200, body: { totals: { rows: 4, bad: 1, ready: 3 } } });
    const [empty] = await rowsOf(stranger, read.body.id, 'problems');
    expect(empty.problems).toMatchObject([{ code: 'Empty' }]);
    expect(await through(stranger, read.body.id, 'save')).toMatchObject({ totals: { saved: 3, failed: 0 } });
    const here = (await postsIn(service.owner.workspaceId)).filter(({ versions }) => versions[0]?.content[0]?.body);
    expect(await contentOf(await postsIn(workspaceId), nameHere)).toEqual(await contentOf(here));
  });

  test('imported where it came from is all duplicates', async () => {
    const read = await tryFile(service, person, await exported('format=json'));
    expect(read.body.totals).toMatchObject({ rows: 4, ready: 0, duplicate: 3, bad: 1 });
  });

  test('has no cell that a spreadsheet takes for a formula', async () => {
    for (const part of ['posts', 'results', 'statistics']) {
      for (const row of table(await exported(`format=csv&part=${part}`))) {
        for (const cell of Object.values(row)) expect(cell).not.toMatch(/^\s*[=+\-@\t\r]/);
      }
    }
    const texts = table(await exported('format=csv')).map(({ text }) => text);
    expect(texts).toContain(`'=SUM(A1)\r\n"quoted", and more`);
    expect(texts).toContain("''=already");
  });

  test('has none either where a spreadsheet splits cells at semicolons or tabs, and comes back as it was', async () => {
    const texts = ['x;=1+1', "x;'=1", 'x\t@SUM(A1)', 'x; \u00a0+1;-2', 'a;b', ";''", '=1;=2', 'x;"=1"'];
    const { stranger } = await otherWorkspace();
    for (const body of texts) await stranger.post('/api/app/actions/posts.create', { body });
    const csv = await exported('format=csv', stranger);
    for (const cell of csv.split(/[,;\t\r\n]/)) expect(cell).not.toMatch(/^[^\S\t]*[=+\-@]/);
    const { stranger: reader } = await otherWorkspace();
    const { body: read } = await tryFile(service, reader, csv);
    await through(reader, read.id, 'save');
    const { posts } = (await reader.post('/api/app/actions/posts.list', { limit: 100 })).body;
    expect(posts.map((post: Post) => post.versions[0]?.content[0]?.body).sort()).toEqual(texts.toSorted());
  });

  test('is one JSON document with a version, all accounts, files by address, and a count', async () => {
    const answer = await fetched('format=json');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="posthorn.json"');
    const document = await answer.json();
    expect(document).toMatchObject({
      format: 'posthorn-export',
      version: 1,
      count: 4,
      accounts: [{ account: 'bluesky:anna.example' }, { account: 'mastodon:ada@bakers.example' }],
    });
    expect(document.posts).toHaveLength(4);
    expect(document.posts[0].versions[0].content[0].media[1]).toMatchObject({
      url: expect.stringMatching(/^http:\/\/posthorn\.test\/media\/media_/),
      alt: 'A bell,\n"of" brass',
      mimeType: 'image/jpeg',
    });
  });

  test('holds the range that is asked for, and the app knows how many that are', async () => {
    const range = 'from=2090-01-01T00:00:00Z&to=2090-01-02T00:00:00Z';
    expect(table(await exported(`format=csv&${range}`))).toHaveLength(1);
    expect((await person.get(`/api/app/export/count?${range}`)).body).toEqual({ posts: 1 });
    expect((await person.get('/api/app/export/count')).body).toEqual({ posts: 4 });
  });

  test('is refused to a token, for another workspace than the open one, and with a wrong format', async () => {
    const headers = { authorization: `Bearer ${service.token}` };
    expect((await service.request('GET', '/api/app/export?format=json', { headers })).status).toBe(403);
    expect((await fetched('format=json&workspace=ws_OTHER')).status).toBe(409);
    expect(await (await fetched('format=xml')).json()).toMatchObject({
      code: 'BadInput',
      issues: [{ path: 'format' }],
    });
    expect((await fetched('format=json', service.browser())).status).toBe(401);
  });
});

test('results and numbers stand beside the account they are from', async () => {
  const { id } = await service.client.posts.create({ body: 'Counted', accountIds: [anna] });
  const publishedAt = '2026-11-01T08:30:00.000000Z';
  const result = { accountId: anna, ok: true, uncertain: false, externalId: '=ext', publishedAt };
  const ofAccountTakenOut = { ...result, accountId: await service.addAccount('x') };
  await service.database.query(
    sql('test.published', `update posts set status = 'Published', results = $2 where id = $1`),
    [id, JSON.stringify([result, ofAccountTakenOut])],
  );
  const metrics = { likes: 12, shares: 3, views: 400 };
  await publicationsOf(service.database).add([{ postId: id, accountId: anna, publishedAt, metrics }]);
  const account = 'bluesky:anna.example';
  expect(table(await exported('format=csv&part=statistics'))).toMatchObject([
    { post: id, account, published: publishedAt, likes: '12', views: '400', comments: '', engagement: '15' },
  ]);
  expect(table(await exported('format=csv&part=results'))).toMatchObject([
    { post: id, account, ok: 'true', uncertain: 'false', 'external id': "'=ext", published: publishedAt },
  ]);
  const { posts } = JSON.parse(await exported('format=json'));
  expect(posts.at(-1)).toMatchObject({ id, results: [{ account, ok: true }], statistics: [{ account, metrics }] });
});

describe('20,000 posts', () => {
  let big: Person;
  let pages: () => number;
  beforeAll(async () => {
    const { stranger, workspaceId } = await otherWorkspace();
    big = stranger;
    await service.database.query(
      sql(
        'test.manyPosts',
        `insert into posts (id, workspace_id, status, account_ids, versions, created_by)
         select 'post_' || lpad(n::text, 26, '0'), $1, 'Draft', '{}',
                jsonb_build_array(jsonb_build_object('content', jsonb_build_array(jsonb_build_object(
                  'body', n || ' ' || repeat('word ', 300), 'media', '[]'::jsonb)), 'options', '{}'::jsonb)), 'usr_test'
           from generate_series(1, 20000) n`,
      ),
      [workspaceId],
    );
    const query = vi.spyOn(service.database, 'queryReplica');
    pages = () => query.mock.calls.filter(([{ name }]) => name === 'exports.page').length;
  });

  test('are exported page by page, each of them once, in order', async () => {
    const before = pages();
    const { posts, count } = JSON.parse(await exported('format=json', big));
    expect(count).toBe(20_000);
    expect(posts.map(({ id }: { id: string }) => Number(id.slice(5)))).toEqual(
      Array.from({ length: 20_000 }, (_, n) => n + 1),
    );
    expect(pages() - before).toBeGreaterThan(99);
  });

  test('are not read ahead of whoever takes them, and no further once they are gone', async () => {
    const before = pages();
    const gone = new AbortController();
    const { body } = await fetched('format=csv', big, { signal: gone.signal });
    const reader = body?.getReader();
    await reader?.read();
    gone.abort();
    const cut = () =>
      service.logLines.some((line) => line.includes('"/api/app/export"') && line.includes('"cut":true'));
    await until('the server has noticed', cut);
    // 30 MB in total, of which buffers along the way hold a small part.
    expect(pages() - before).toBeLessThan(50);
  });
});
