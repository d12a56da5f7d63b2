import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '#server/base/store/database';
import { readEntries } from '#server/planning/transfer/read-entries';
import { type Service, startService } from '#test/support/service';
import { accountCalled, type Person, rowsOf, through, tryFile } from '#test/support/transfer';

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

const tried = async (file: string, fields: Record<string, string> = {}) => {
  const { status, body } = await tryFile(service, person, file, fields);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
};
const report = async (file: string, fields: Record<string, string> = {}) =>
  rowsOf(person, (await tried(file, fields)).id);
const codesOf = (rows: { problems: { code: string }[] }[]) =>
  rows.map(({ problems }) => problems.map(({ code }) => code));
const drafts = async () => (await service.client.posts.list({ limit: 100 })).posts;

describe('a first line with too many columns', () => {
  test('is refused at the door, whatever stands in quotation marks', async () => {
    for (const line of [`text${','.repeat(100)}`, `text${';'.repeat(3000)}`, `"text\n"${','.repeat(200)}`]) {
      const { status, body } = await tryFile(service, person, `${line}\nHello`);
      expect({ status, issue: body.issues[0] }).toMatchObject({
        status: 400,
        issue: { code: 'WrongColumns', limit: 100 },
      });
    }
    const names = ['text', 'accounts', ...Array.from({ length: 98 }, (_, n) => `"more ${n},,,,"`)];
    const { totals } = await tried(`${names.join(',')}\nHello${','.repeat(99)}`);
    expect(totals.rows).toBe(1);
    const commas = await tried(`\n\ntext,"acc""ounts"\n"${','.repeat(500)}",x`);
    expect(commas.totals.rows).toBe(1);
  });

  test('is read no further than that', async () => {
    let pieces = 0;
    const endless = async function* () {
      for (; pieces < 100; pieces++) yield Buffer.alloc(64 * 1024, ',');
    };
    await expect(readEntries(endless())).rejects.toMatchObject({ code: 'BadInput' });
    expect(pieces).toBeLessThan(20);
  });
});

describe('a dry run', () => {
  test('of 1,000 rows with 30 bad ones reports exactly those, and saves nothing', async () => {
    const bad = new Map<number, [cells: string, code: string]>();
    const kinds: [cells: string, code: string][] = [
      [',bluesky:anna.example,', 'Empty'],
      ['Text,bluesky:anna.example,19/11/2090 08:30', 'BadTime'],
      ['Text,bluesky:anna.example,2090-02-30 08:30', 'BadTime'],
      ['Text,bluesky:anna.example,2026-03-29 02:30', 'TimeSkipped'],
      ['Text,bluesky:anna.example,2026-10-25 02:30', 'TimeTwice'],
      ['Text,bluesky:anna.example', 'WrongColumns'],
    ];
    for (let n = 0; n < 30; n++) bad.set(17 + n * 33, kinds[n % kinds.length] as [string, string]);
    const lines = Array.from(
      { length: 1000 },
      (_, n) => bad.get(n + 1)?.[0] ?? `Post ${n + 1},bluesky:anna.example,2090-01-05 08:30`,
    );
    const before = await service.count('posts');
    const { id, totals, format } = await tried(['text,accounts,time', ...lines].join('\n'), {
      timeZone: 'Europe/Paris',
    });
    expect(format).toBe('Posthorn CSV');
    expect(totals).toMatchObject({ rows: 1000, bad: 30, ready: 970, saved: 0 });
    const problems = await rowsOf(person, id, 'problems');
    expect(problems.map(({ number, line, state, problems: [first] }) => [number, line, state, first.code])).toEqual(
      [...bad].map(([number, [, code]]) => [number, number + 1, 'Bad', code]),
    );
    expect(await service.count('posts')).toBe(before);
  });

  test('reads a byte order mark, CRLF, quotes, lines in a cell, semicolons, and undoes formula guards', async () => {
    const rows = await report(
      '\uFEFFText;Time Zone;Time;Labels\r\n"He said ""yes""\r\nand; left";America/New_York;2090-06-01 09:00;red\r\n\'=1+1;;;\r\n\'\'-1;;;\r\nIt\'s - fine;;;\r\n\r\n',
    );
    expect(rows.map(({ text, line, scheduledAt }) => [text, line, scheduledAt])).toEqual([
      ['He said "yes"\r\nand; left', 2, '2090-06-01T13:00:00.000000Z'],
      ['=1+1', 4, undefined],
      ["'-1", 5, undefined],
      ["It's - fine", 6, undefined],
    ]);
  });

  test('takes a time with an offset, with the name of a zone, in a column, or of the import', async () => {
    const times = [
      '2090-11-19T08:30:00+01:00',
      '2090-11-19 08:30Z',
      '2090-11-19 08:30 America/New_York',
      '2090-11-19T08:30[Asia/Tokyo]',
      '2090-11-19 08:30',
      '2026-10-25T02:30+02:00',
      '2090-11-19 08:30 Europe/Nowhere',
      'tomorrow',
    ];
    const rows = await report(['text,time', ...times.map((time) => `Hello,${time}`)].join('\n'), {
      timeZone: 'Europe/Paris',
    });
    expect(rows.map(({ scheduledAt }) => scheduledAt)).toEqual([
      '2090-11-19T07:30:00.000000Z',
      '2090-11-19T08:30:00.000000Z',
      '2090-11-19T13:30:00.000000Z',
      '2090-11-18T23:30:00.000000Z',
      '2090-11-19T07:30:00.000000Z',
      '2026-10-25T00:30:00.000000Z',
      undefined,
      undefined,
    ]);
    expect(codesOf(rows)).toEqual([[], [], [], [], ['Duplicate'], ['PastTime'], ['BadZone'], ['BadTime']]);
    expect(rows[5].problems).toMatchObject([{ stops: false, blocks: true }]);
  });

  test('never guesses a time that the clocks skip or repeat', async () => {
    const rows = await report('text,time\nA,2090-03-26 02:30\nB,2090-10-29 02:30\n', { timeZone: 'Europe/Paris' });
    expect(rows.map(({ problems }) => problems[0].message)).toEqual([
      'time does not exist in Europe/Paris, as the clocks are set forward past 02:30; choose another time',
      'time comes twice in Europe/Paris, as the clocks are set back; write 2090-10-29T02:30+02:00 or 2090-10-29T02:30+01:00',
    ]);
  });

  test('matches accounts by network and handle, and says which it does not know', async () => {
    const rows = await report(
      'text,accounts\nA,"Bluesky:@Anna.Example, mastodon:ada@bakers.example"\nB,"bluesky:anna.example\nbluesky:nobody.example"\nC,anna\nD,myspace:tom\nE,\n',
      { accountIds: ada },
    );
    expect(rows.map(({ accountIds, state }) => [accountIds, state])).toEqual([
      [[anna, ada], 'Ready'],
      [[anna], 'Unmatched'],
      [[], 'Unmatched'],
      [[], 'Unmatched'],
      [[ada], 'Ready'],
    ]);
    expect(rows[1].problems[0].message).toBe(
      'accounts names bluesky:nobody.example, which is not connected to this workspace',
    );
  });

  test('names what is wrong with options, media, threads and versions by column', async () => {
    const rows = await report(
      'text,options,media,thread,versions\nA,bluesky.nothing=1,,,\nB,reply,,,\nC,,ftp://x/y.png,,\nD,,,{},\nE,,,,"[{""account"":""bluesky:other"",""content"":[{""body"":""x""}]}]"\nF,bluesky.reply_control=nobody,https://a.example/1.png,"[{""body"":""2/2""}]",\n',
    );
    expect(rows.map(({ problems: [first] }) => first && [first.column, first.code])).toEqual([
      ['options', 'UnknownOption'],
      ['options', 'BadFormat'],
      ['media', 'BadUrl'],
      ['thread', 'BadFormat'],
      ['versions', 'UnknownAccount'],
      undefined,
    ]);
    expect(rows[5]).toMatchObject({ state: 'Ready', items: 2, media: 1 });
  });

  test('keeps no character that the database could not, wherever it stands', async () => {
    const read = await tried('text,accounts,id,la\0bels\nA\0B,x:\0,post_\0,\nC,\0,,\n');
    expect(read.ignored).toEqual(['la bels']);
    expect(await rowsOf(person, read.id)).toMatchObject([
      { text: 'AB', state: 'Bad', problems: [{ code: 'UnknownAccount' }, { code: 'BadText' }] },
      { text: 'C', state: 'Unmatched' },
    ]);
    const half = await tried('{"posts":[{"content":"a \\ud800","integration":null},{"content":"whole"}]}');
    expect(codesOf(await rowsOf(person, half.id))).toEqual([['BadText'], []]);
  });

  test.each([
    ['an empty file', '', 'Required'],
    ['a file without a column text', 'body,when\nx,y', 'WrongColumns'],
    ['a column twice', 'text,accounts,account\nx,y,z', 'WrongColumns'],
    ['a header alone', 'text\n', 'Empty'],
    ['a quotation mark that never closes', 'text,time\n"open,2090\nmore', 'BadFormat'],
    ['JSON of nothing known', '{"things":[{"a":1}]}', 'UnknownFormat'],
    ['JSON that ends early', '{"posts":[{"content":"x"},{"conte', 'Incomplete'],
    ['an export of a newer version', '{"format":"posthorn-export","version":2,"posts":[]}', 'NewerVersion'],
  ])('refuses %s', async (_, file, code) => {
    expect(await tryFile(service, person, file)).toMatchObject({
      status: 400,
      body: { code: 'BadInput', issues: [{ path: 'file', code }] },
    });
  });

  test('refuses bytes that are not UTF-8, 10,001 rows, a wrong zone, and settings after the file', async () => {
    expect((await tryFile(service, person, new Uint8Array([0x74, 0x65, 0xff]))).body.message).toContain(
      'must be UTF-8',
    );
    const many = (count: number) => `text\n${Array.from({ length: count }, (_, n) => `Row ${n}`).join('\n')}`;
    expect((await tryFile(service, person, many(10_001))).body.message).toBe('file has more than 10000 rows; split it');
    expect((await tryFile(service, person, 'text\nx', { timeZone: 'Mars/North' })).body.issues[0].path).toBe(
      'timeZone',
    );
    const form = new FormData();
    form.set('file', new Blob(['text\nx']), 'x.csv');
    form.set('timeZone', 'Europe/Paris');
    const headers = { cookie: person.cookie(), origin: service.config.baseUrl };
    const late = await service.request('POST', '/api/app/imports', { headers, body: form });
    expect(late.body.message).toBe('file must come after the other fields');
  });

  test('is not for tokens or viewers, and nobody sees that of another workspace', async () => {
    const form = new FormData();
    form.set('file', new Blob(['text\nx']), 'x.csv');
    const headers = { authorization: `Bearer ${service.token}` };
    expect((await service.request('POST', '/api/app/imports', { headers, body: form })).status).toBe(403);
    const viewer = service.browser();
    await viewer.signIn((await service.addMember('viewer')).email);
    expect((await tryFile(service, viewer, 'text\nx')).status).toBe(403);
    const { id } = await tried('text\nSecret');
    const stranger = service.browser();
    await stranger.signIn((await service.addWorkspace()).email);
    for (const path of [`/api/app/imports/${id}`, `/api/app/imports/${id}/rows`]) {
      expect((await stranger.get(path)).status).toBe(404);
    }
    expect((await stranger.post(`/api/app/imports/${id}/save`)).status).toBe(404);
  });
});

describe('saving', () => {
  test('makes drafts with their wished time, once: the same file again is a duplicate', async () => {
    const file = 'text,accounts,time\nSaved once,bluesky:anna.example,2090-01-01 08:00\nTwice,,\nTwice,,\n';
    const { id } = await tried(file);
    expect(await through(person, id, 'save')).toMatchObject({ totals: { saved: 2, duplicate: 1, schedulable: 1 } });
    const [post] = (await drafts()).filter(({ versions }) => versions[0]?.content[0]?.body === 'Saved once');
    expect(post).toMatchObject({ status: 'Draft', accountIds: [anna], scheduledAt: '2090-01-01T08:00:00.000000Z' });
    const before = await service.count('posts');
    expect(await through(person, id, 'save')).toMatchObject({ totals: { saved: 2 } });
    expect(await service.count('posts')).toBe(before);
    // Only the person who uploaded the file is notified, and only once.
    const colleague = service.browser();
    await colleague.signIn((await service.addMember('owner')).email);
    const told = async (who: Person) =>
      (await who.get('/api/app/notifications')).body.earlier.filter(
        ({ path }: { path: string }) => path === `/settings/transfer/${id}`,
      );
    expect(await told(person)).toMatchObject([
      { kind: 'import.finished', detail: 'posts.csv: 2 of 3 rows are posts now.', read: false },
    ]);
    expect(await told(colleague)).toEqual([]);
    const again = await tried(file);
    expect(again.totals).toMatchObject({ ready: 0, duplicate: 3 });
    expect(await through(person, again.id, 'save')).toMatchObject({ totals: { saved: 0 } });
    expect(await through(person, again.id, 'save', { duplicates: true })).toMatchObject({ totals: { saved: 3 } });
  });

  test('leaves rows with unknown accounts alone, unless asked to save them without', async () => {
    const { id } = await tried('text,accounts\nHalf known,"bluesky:anna.example, x:nobody"\nAll known,\n');
    expect(await through(person, id, 'save')).toMatchObject({ totals: { saved: 1, unmatched: 1 } });
    // It is a post, although its time was refused.
    const refuse = sql(
      'test.refuse',
      `update import_rows set failure = 'The plan refuses it.' where import_id = $1 and post_id is not null`,
    );
    await service.database.run(refuse, [id]);
    expect(await through(person, id, 'save', { unmatched: true })).toMatchObject({ totals: { saved: 2, failed: 1 } });
    const { earlier } = (await person.get('/api/app/notifications')).body;
    expect(earlier.filter(({ path }: { path: string }) => path === `/settings/transfer/${id}`)).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ detail: 'posts.csv: 2 of 2 rows are posts now.' })]),
    );
    const [row] = await rowsOf(person, id);
    expect(await service.client.posts.get({ id: row.postId })).toMatchObject({ accountIds: [anna], status: 'Draft' });
  });

  test('by two at once saves each row once; a row whose draft was deleted can be saved again', async () => {
    const { id } = await tried(`text\n${Array.from({ length: 40 }, (_, n) => `Race ${n}`).join('\n')}`);
    const before = await service.count('posts');
    await Promise.all([through(person, id, 'save'), through(person, id, 'save')]);
    expect(await service.count('posts')).toBe(before + 40);
    const [row] = await rowsOf(person, id);
    await service.asHuman('posts.delete', { id: row.postId });
    expect((await person.get(`/api/app/imports/${id}`)).body.totals).toMatchObject({ saved: 39, ready: 1 });
  });

  test('ended in the middle leaves whole rows, and goes on with the others', async () => {
    const { id } = await tried('text\nFirst of two\nSecond of two\n');
    // The state after a process is killed between two statements of a row: uncommitted changes are gone.
    await service.database.script(
      `create function stop_here() returns trigger language plpgsql as $$ begin raise exception 'killed'; end $$;
       create trigger stop before update on import_rows for each row when (new.number = 2) execute function stop_here();`,
    );
    expect((await person.post(`/api/app/imports/${id}/save`)).status).toBe(500);
    await service.database.script('drop trigger stop on import_rows; drop function stop_here');
    const texts = async () => (await drafts()).map(({ versions }) => versions[0]?.content[0]?.body);
    expect(await texts()).not.toContain('Second of two');
    expect((await person.get(`/api/app/imports/${id}`)).body.totals).toMatchObject({ saved: 1, ready: 1 });
    expect(await through(person, id, 'save')).toMatchObject({ totals: { saved: 2, ready: 0 } });
    expect((await texts()).filter((text) => text?.endsWith('of two'))).toHaveLength(2);
  });

  test('an address that leads inside is not asked: the row says so and is not saved', async () => {
    const { id } = await tried('text,media\nInside,https://127.0.0.1:9/a.png\n');
    expect(await through(person, id, 'save')).toMatchObject({ totals: { saved: 0, failed: 1 } });
    const [row] = await rowsOf(person, id, 'problems');
    expect(row.failure).toMatch(/^media https:\/\/127\.0\.0\.1:9\/a\.png cannot be used\. /);
  });
});

describe('scheduling', () => {
  test('takes a click of its own, schedules what it can by the ordinary rules, and says of each other row why not', async () => {
    const long = 'x'.repeat(400);
    const { id } = await tried(
      `text,accounts,time\nGoes out,bluesky:anna.example,2090-02-01 08:00\n${long},bluesky:anna.example,2090-02-01 09:00\nNo account,,2090-02-01 10:00\nNo time,bluesky:anna.example,\nToo late,bluesky:anna.example,2020-01-01 10:00\n`,
    );
    const saved = await through(person, id, 'save');
    expect(saved.totals).toMatchObject({ saved: 5, scheduled: 0, schedulable: 2 });
    const done = await through(person, id, 'schedule');
    expect(done.totals).toMatchObject({ saved: 5, scheduled: 1, schedulable: 1, failed: 1 });
    const rows = await rowsOf(person, id);
    expect(rows.map(({ state }) => state)).toEqual(['Scheduled', 'Saved', 'Saved', 'Saved', 'Saved']);
    expect(rows[1].failure).toMatch(/^The post breaks a limit: /);
    expect(await service.client.posts.get({ id: rows[0].postId })).toMatchObject({
      status: 'Scheduled',
      scheduledAt: '2090-02-01T08:00:00.000000Z',
    });
  });
});

describe('files of other tools', () => {
  test('what Buffer takes in bulk is recognised by its columns; its tags are ignored', async () => {
    const read = await tried(
      'Text,Image URL,Tags,Posting Time\n"Hello, Buffer",https://a.example/1.png,launch,2090-01-23 17:30\n',
      { timeZone: 'America/New_York', accountIds: anna },
    );
    expect(read).toMatchObject({ format: 'Buffer CSV', ignored: ['tags'] });
    expect(await rowsOf(person, read.id)).toMatchObject([
      { text: 'Hello, Buffer', accountIds: [anna], media: 1, scheduledAt: '2090-01-23T22:30:00.000000Z' },
    ]);
  });

  test('an answer of the API of Postiz: accounts by their name, HTML as text', async () => {
    const integration = { id: 'c1', providerIdentifier: 'bluesky', name: 'anna.example', picture: null };
    const posts = [
      { id: 'a', content: '<p>One &amp; two</p><p>three</p>', publishDate: '2090-05-01T10:00:00.000Z', integration },
      {
        id: 'b',
        content: 'a < b',
        publishDate: '2090-05-02T10:00:00.000Z',
        integration: { ...integration, name: 'x' },
      },
    ];
    const read = await tried(JSON.stringify({ posts }));
    expect(read.format).toBe('Postiz JSON');
    expect(await rowsOf(person, read.id)).toMatchObject([
      { text: 'One & two\nthree', accountIds: [anna], state: 'Ready', scheduledAt: '2090-05-01T10:00:00.000000Z' },
      { text: 'a < b', state: 'Unmatched' },
    ]);
  });

  test('an answer of the API of Mixpost: versions, threads, and times in the zone of the import', async () => {
    const account = { id: 7, provider: 'mastodon', username: 'ada@bakers.example', name: 'Ada' };
    const version = {
      account_id: 0,
      is_original: true,
      content: [{ body: '<div>All</div>', media: [] }, { body: '2/2' }],
    };
    const own = { account_id: 7, is_original: false, content: [{ body: '<div>Toot</div>', media: [] }] };
    const post = {
      uuid: 'u',
      status: 'draft',
      accounts: [account],
      versions: [version, own],
      scheduled_at: '2090-07-01 09:00:00',
    };
    const read = await tried(JSON.stringify({ data: [post], links: {} }), { timeZone: 'Europe/Paris' });
    expect(read.format).toBe('Mixpost JSON');
    await through(person, read.id, 'save');
    const [row] = await rowsOf(person, read.id);
    expect(await service.client.posts.get({ id: row.postId })).toMatchObject({
      accountIds: [ada],
      scheduledAt: '2090-07-01T07:00:00.000000Z',
      versions: [{ content: [{ body: 'All' }, { body: '2/2' }] }, { accountId: ada, content: [{ body: 'Toot' }] }],
    });
  });
});

test('a report that nobody saved is forgotten after 7 days, and one that was saved after 90', async () => {
  const unsaved = await tried('text\nNobody saves this');
  const saved = await tried('text\nSomebody saves this');
  await through(person, saved.id, 'save');
  const age = (days: number) =>
    service.database.run(
      sql('test.ageImports', `update imports set created_at = posthorn_now() - $1 * interval '1 day'`),
      [days],
    );
  const status = async ({ id }: { id: string }) => (await person.get(`/api/app/imports/${id}`)).status;
  await age(8);
  await service.posthorn.imports.purge();
  expect([await status(unsaved), await status(saved)]).toEqual([404, 200]);
  await age(91);
  await service.posthorn.imports.purge();
  expect(await status(saved)).toBe(404);
});

describe('the dry run says what posts.schedule would say', () => {
  test('a text too long for its network is no ready row: it can be saved, and says why it cannot be scheduled', async () => {
    const long = 'x'.repeat(900);
    const { id, totals } = await tried(
      `text,accounts,time\n${long},bluesky:anna.example,2090-03-01 08:00\nShort,bluesky:anna.example,2090-03-01 09:00\n${long},mastodon:ada@bakers.example,\n`,
    );
    expect(totals).toMatchObject({ ready: 3, blocked: 2, bad: 0 });
    const [first, second, third] = await rowsOf(person, id);
    expect(first.problems).toMatchObject([{ column: 'text', code: 'TooLong', stops: false, blocks: true }]);
    expect(second.problems).toEqual([]);
    expect(third.problems).toMatchObject([{ blocks: true }]);
    await through(person, id, 'save');
    await through(person, id, 'schedule');
    const [saved] = await rowsOf(person, id);
    const words = first.problems[0].message.replace(/^text \w+: /, '');
    expect(saved.failure).toContain(words);
  });

  test('what only the files decide is not claimed, and what they cannot mend is', async () => {
    const clip = await accountCalled(service, 'youtube', 'clips');
    const shop = await accountCalled(service, 'instagram', 'shop');
    const [video, picture] = await report(
      `text,accounts,media\nA clip,youtube:clips,https://example.com/clip\nNo picture,instagram:shop,\n`,
    );
    expect(video).toMatchObject({ accountIds: [clip] });
    expect(video.problems.filter(({ column }: { column: string }) => column === 'media')).toEqual([]);
    expect(picture).toMatchObject({ accountIds: [shop], problems: [{ column: 'media', blocks: true }] });
  });

  test('an address that begins with http:// is refused before anything is saved', async () => {
    const [plain, own] = await report(
      `text,media\nPlain,http://example.com/a.png\nOwn,http://posthorn.test/media/media_01J00000000000000000000001\n`,
    );
    expect(plain).toMatchObject({ state: 'Bad', problems: [{ column: 'media', code: 'BadUrl' }] });
    expect(own.state).toBe('Ready');
  });
});

describe('labels of a file', () => {
  test('are given to the drafts; one that does not exist is created once', async () => {
    const { body: label } = await person.post('/api/app/labels', { name: 'Bread' });
    const { id, ignored } = await tried('text,labels\nLabelled one,"bread, New one"\nLabelled two,new ONE\nPlain,\n');
    expect(ignored).toEqual([]);
    await through(person, id, 'save');
    const labelsOf = async (postId: string) => (await person.get(`/api/app/posts/${postId}/labels`)).body.labelIds;
    const [one, two, plain] = await rowsOf(person, id);
    const { labels } = (await person.get('/api/app/labels')).body;
    const created = labels.filter(({ name }: { name: string }) => name.toLowerCase() === 'new one');
    expect(created).toHaveLength(1);
    expect(await labelsOf(one.postId)).toEqual([label.id, created[0].id]);
    expect(await labelsOf(two.postId)).toEqual([created[0].id]);
    expect(await labelsOf(plain.postId)).toEqual([]);
  });

  test('that cannot be names are reported', async () => {
    const [row] = await report(`text,labels\nToo long,${'x'.repeat(41)}\n`);
    expect(row).toMatchObject({ state: 'Bad', problems: [{ column: 'labels' }] });
  });
});

describe('undoing an import', () => {
  const undo = async (id: string, by = person) => {
    let answer = (await by.post(`/api/app/imports/${id}/undo`)).body;
    while (answer.next !== undefined)
      answer = (await by.post(`/api/app/imports/${id}/undo`, { after: answer.next })).body;
    return answer;
  };

  test('moves its drafts to the bin, also edited ones, and names what is no longer a draft', async () => {
    const { id } = await tried(
      'text,accounts,time\nUndone one,bluesky:anna.example,2090-04-01 08:00\nUndone two,,\nUndone three,,\n',
    );
    await through(person, id, 'save');
    await through(person, id, 'schedule');
    const [planned, edited, plain] = await rowsOf(person, id);
    await service.call('posts.setVersionText', { id: edited.postId, body: 'Edited since' });
    const answer = await undo(id);
    expect(answer.stayed).toEqual([{ id: planned.postId, status: 'Scheduled', text: 'Undone one' }]);
    expect(answer.import.totals).toMatchObject({ saved: 1, scheduled: 1, ready: 2 });
    expect((await service.client.posts.get({ id: planned.postId })).status).toBe('Scheduled');
    for (const { postId } of [edited, plain])
      expect((await service.call('posts.get', { id: postId })).status).toBe(404);
    const restored = await person.post(`/api/app/bin/${edited.postId}/restore`);
    expect(restored.body.post.versions[0].content[0].body).toBe('Edited since');
    expect((await person.get(`/api/app/imports/${id}`)).body.totals).toMatchObject({ saved: 2 });
    const { entries } = (await person.get('/api/app/audit')).body;
    expect(entries.some(({ event }: { event: string }) => event === 'import.undone')).toBe(true);
  });

  test('can be repeated, and the rows can be saved again', async () => {
    const { id } = await tried(`text\n${Array.from({ length: 30 }, (_, n) => `Back and forth ${n}`).join('\n')}`);
    await through(person, id, 'save');
    expect((await undo(id)).import.totals).toMatchObject({ saved: 0, ready: 30 });
    expect((await undo(id)).stayed).toEqual([]);
    expect(await through(person, id, 'save')).toMatchObject({ totals: { saved: 30 } });
  });

  test('is refused to viewers and other workspaces', async () => {
    const { id } = await tried('text\nNot theirs to undo\n');
    await through(person, id, 'save');
    const viewer = service.browser();
    await viewer.signIn((await service.addMember('viewer')).email);
    expect((await viewer.post(`/api/app/imports/${id}/undo`)).status).toBe(403);
    const stranger = service.browser();
    await stranger.signIn((await service.addWorkspace()).email);
    expect((await stranger.post(`/api/app/imports/${id}/undo`)).status).toBe(404);
    expect((await person.get(`/api/app/imports/${id}`)).body.totals.saved).toBe(1);
  });
});
