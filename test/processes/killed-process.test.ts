import { once } from 'node:events';
import { createServer } from 'node:https';
import { type AddressInfo, connect, createServer as createLine } from 'node:net';
import pg from 'pg';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { Posthorn } from '#packages/sdk/src/index';
import { bounds } from '#server/base/bounds';
import { type FreshDatabase, freshDatabase, urlOf } from '#test/support/database';
import { setUpInstallation } from '#test/support/installation';
import { modern, speak } from '#test/support/mcp';
import { createProcesses, freePort, type Processes, type Running } from '#test/support/processes';
import { trustedCertificate } from '#test/support/receiver';
import { startS3 } from '#test/support/s3';
import { until } from '#test/support/until';
import { mp4 } from '#test/support/videos';

const { cert, key, settings, remove } = trustedCertificate();
let picture: Buffer;
const cdn = createServer({ cert, key }, (_req, res) => res.writeHead(200).end(picture));
let s3: Awaited<ReturnType<typeof startS3>>;
let fresh: FreshDatabase;
let posthorn: Processes;
let token: string;
let accountId: string;
const [email, password] = ['owner@example.com', 'correct horse battery'];
/** Starting is slow, so the process restarted after a kill also serves the next case. */
let service: Running;

beforeAll(async () => {
  cdn.listen(0, '127.0.0.1');
  await once(cdn, 'listening');
  s3 = await startS3();
  fresh = await freshDatabase({ isMigrated: true });
  const OUTBOUND_ALLOW = `127.0.0.1:${(cdn.address() as AddressInfo).port}`;
  posthorn = await createProcesses(undefined, {
    REQUESTS_PER_MINUTE: '100000',

    DATABASE_URL: urlOf(fresh.parts),
    OUTBOUND_ALLOW,
    ...settings,
    ...s3.settings,
  });
  const made = await setUpInstallation(posthorn.settings, { email, password }, ['x']);
  token = made.token;
  [accountId = ''] = made.accountIds;
  service = await posthorn.start();
});

afterAll(async () => {
  await posthorn?.clear();
  await fresh?.drop();
  s3.stop();
  cdn.closeAllConnections();
  cdn.close();
  remove();
});

test.each([
  ['media', 0],
  ['posts', 1],
] as const)(
  'a process killed before it writes to %s leaves no post and at most an unused file (%i), and the same call works later',
  async (table, left) => {
    picture = await sharp({
      create: { width: 400, height: 400, channels: 3, background: table === 'media' ? 'red' : 'blue' },
    })
      .jpeg()
      .toBuffer();
    const address = `https://127.0.0.1:${(cdn.address() as AddressInfo).port}/${table}.jpg`;
    const text = `Before ${table}`;
    const input = { versions: [{ content: [{ body: text, media: [address] }] }] };
    const first = service;
    const { body: before } = await first.call(token, 'media.list');

    const client = new pg.Client(fresh.parts);
    await client.connect();
    await client.query(`begin; lock table ${table} in exclusive mode`);
    const call = first.call(token, 'posts.create', input).catch((error: Error) => error);
    const blocked = `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~* 'insert'`;
    const activity = new pg.Client(fresh.parts);
    await activity.connect();
    await until('it is about to write', async () => (await activity.query(`select ${blocked}`)).rowCount === 1);
    first.kill('SIGKILL');
    await first.ended;
    expect(await call).toBeInstanceOf(Error);
    // What PostgreSQL does itself once it notices that its client is gone.
    await activity.query(`select pg_terminate_backend(pid) ${blocked}`);
    await client.query('rollback');
    await Promise.all([client.end(), activity.end()]);

    service = await posthorn.start();
    const second = service;
    const posts = async () => (await second.call(token, 'posts.list', { query: text })).body.posts as object[];
    const media = async () => (await second.call(token, 'media.list')).body.media as { id: string }[];
    expect(await posts()).toEqual([]);
    const countBefore = (before.media as { id: string }[]).length;
    expect(await media()).toHaveLength(countBefore + left);
    const { status, body } = await second.call(token, 'posts.create', input);
    expect(status).toBe(200);
    expect(await posts()).toHaveLength(1);
    const [version] = body.versions as { content: { media: string[] }[] }[];
    expect(await media()).toHaveLength(countBefore + 1);
    expect((await media()).map(({ id }) => id)).toContain(version?.content[0]?.media[0]);
  },
);

test('a process killed in the middle of a decision leaves the request open, and the next yes decides it once', async () => {
  const created = await service.call(token, 'posts.create', { accountIds: [accountId], body: 'Decided once' });
  const id = created.body.id as string;
  const ask = await speak(service.url, token, modern).call('posts_schedule', { id, at: '2126-01-01T10:00:00Z' });
  const card = ask.body.result.structuredContent.approvalUrl.split('/').at(-1) as string;
  const person = await service.signIn({ email, password });

  const [client, activity] = [new pg.Client(fresh.parts), new pg.Client(fresh.parts)];
  await Promise.all([client.connect(), activity.connect()]);
  // The receipt is the last thing that a decision writes.
  await client.query('begin; lock table receipts in exclusive mode');
  const yes = person(`/api/approvals/${card}/approve`, {}).catch((error: Error) => error);
  const blocked = `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~* 'insert into receipts'`;
  await until('it is about to write', async () => (await activity.query(`select ${blocked}`)).rowCount === 1);
  service.kill('SIGKILL');
  await service.ended;
  expect(await yes).toBeInstanceOf(Error);
  await activity.query(`select pg_terminate_backend(pid) ${blocked}`);
  await client.query('rollback');

  service = await posthorn.start();
  const states = async () => {
    const cards = await activity.query('select status from approval_cards where id = $1', [card]);
    const posts = await activity.query('select status from posts where id = $1', [id]);
    const receipts = await activity.query('select kind from receipts where card_id = $1', [card]);
    return [cards.rows[0]?.status, posts.rows[0]?.status, receipts.rows.map(({ kind }) => kind)];
  };
  expect(await states()).toEqual(['Open', 'Draft', []]);
  const again = await service.signIn({ email, password });
  expect((await again(`/api/approvals/${card}/approve`, {})).status).toBe('Approved');
  expect(await states()).toEqual(['Approved', 'Scheduled', ['Approved']]);
  await Promise.all([client.end(), activity.end()]);
});

/** A proxy to a port that can change. It stops forwarding after `holdAfter` bytes. */
const openHeldLine = async (port: number, holdAfter: number) => {
  const target = { port, isHeld: true };
  const line = createLine((client) => {
    const server = connect(target.port, '127.0.0.1');
    let bytes = 0;
    for (const socket of [client, server]) socket.on('error', () => undefined);
    client.on('data', (chunk) => {
      bytes += chunk.length;
      if (!target.isHeld || bytes < holdAfter) server.write(chunk);
    });
    server.pipe(client).on('close', () => client.destroy());
    client.on('close', () => server.destroy());
  }).listen(0, '127.0.0.1');
  await once(line, 'listening');
  onTestFinished(() => void line.close());
  return { target, url: `http://127.0.0.1:${(line.address() as AddressInfo).port}` };
};

test('an upload to S3 continues on another instance when its own is killed in the middle of a part', async () => {
  const film = mp4({ padding: 2 * bounds.uploadPartBytes });
  const port = await freePort();
  const other = await posthorn.start(undefined, { PORT: String(port) });
  const line = await openHeldLine(posthorn.port, 1.5 * bounds.uploadPartBytes);
  let location = '';
  const sdk = new Posthorn({
    baseUrl: line.url,
    token,
    sleep: async () => undefined,
    onRequest: ({ method, url }) => {
      if (method === 'PATCH') location = new URL(url).pathname;
    },
  });
  const upload = sdk.media.upload(new Blob([new Uint8Array(film)]), { alt: 'A film' });
  const headers = { authorization: `Bearer ${token}`, 'tus-resumable': '1.0.0' };
  await until('the other instance counts the first part', async () => {
    if (location === '') return false;
    const { headers: answer } = await fetch(other.url + location, { method: 'HEAD', headers });
    return Number(answer.get('upload-offset')) >= bounds.uploadPartBytes;
  });
  Object.assign(line.target, { port, isHeld: false });
  service.kill('SIGKILL');
  await service.ended;
  const { id, bytes } = await upload;
  expect(bytes).toBe(film.length);
  expect(s3.objects.get(id)?.body.equals(film)).toBe(true);
  await until('the parts are removed', () => ![...s3.objects.keys()].some((key) => key.startsWith('upl_')));
});
