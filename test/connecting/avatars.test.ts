import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '#server/base/store/database';
import { selfSigned } from '#test/support/certificate';
import { pretendInternet } from '#test/support/internet';
import { type Service, startService } from '#test/support/service';

let service: Service;
let cdn: Server;
let asked: string[] = [];
beforeAll(async () => {
  const certificate = selfSigned({ names: ['cdn.example.com'] });
  const picture = await sharp({ create: { width: 400, height: 300, channels: 3, background: '#8a4b08' } })
    .png()
    .toBuffer();
  cdn = createServer(certificate, (req, res) => {
    asked.push(req.url ?? '');
    if (req.url === '/face.png') res.end(picture);
    else if (req.url === '/page.png') res.end('<svg onload="alert(1)">');
    else res.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(cdn, 'listening');
  const internet = pretendInternet({
    names: { 'cdn.example.com': [['93.184.216.34']], 'inside.example.com': [['10.0.0.1']] },
    port: (cdn.address() as AddressInfo).port,
  });
  service = await startService({}, { internet: { ...internet, extraCa: certificate.cert } });
});
afterAll(async () => {
  await service.stop();
  cdn.closeAllConnections();
  cdn.close();
});

const accountWith = async (url: string | null) => {
  const id = await service.addAccount('x');
  await service.database.query(
    sql('test.avatar', 'update accounts set avatar_url = $2, sandbox = false where id = $1'),
    [id, url],
  );
  asked = [];
  return id;
};
const get = (id: string) => fetch(`${service.url}/avatars/${id}`, { redirect: 'manual' });

describe('GET /avatars/{accountId}', () => {
  test('is fetched from the network once, drawn anew and served from our own address', async () => {
    const id = await accountWith('https://cdn.example.com/face.png');
    const [first] = await Promise.all([get(id), get(id)]);
    expect(first?.headers.get('content-type')).toContain('image/webp');
    const bytes = Buffer.from((await first?.arrayBuffer()) ?? new ArrayBuffer(0));
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: 128, height: 128 });
    expect((await get(id)).status).toBe(200);
    expect(asked).toEqual(['/face.png']);
  });

  test('what is no picture is not passed on, and not asked for again at once', async () => {
    const id = await accountWith('https://cdn.example.com/page.png');
    expect((await get(id)).status).toBe(404);
    expect((await get(id)).status).toBe(404);
    expect(asked).toEqual(['/page.png']);
    await service.clock.forward(3_600_001);
    await get(id);
    expect(asked).toHaveLength(2);
  });

  test('an address inside a network of ours is never dialled', async () => {
    const id = await accountWith('https://inside.example.com/face.png');
    expect((await get(id)).status).toBe(404);
    expect(asked).toEqual([]);
  });

  test('a new picture of the account is fetched', async () => {
    const id = await accountWith('https://cdn.example.com/none.png');
    expect((await get(id)).status).toBe(404);
    const url = 'https://cdn.example.com/face.png';
    await service.database.query(
      sql('test.avatar', 'update accounts set avatar_url = $2, sandbox = false where id = $1'),
      [id, url],
    );
    expect((await get(id)).status).toBe(200);
  });

  test('an account without one, and one that does not exist, are 404; a sandbox has its own', async () => {
    expect((await get(await accountWith(null))).status).toBe(404);
    expect((await get('acct_NOPE')).status).toBe(404);
    const answer = await get(await service.connect('bluesky'));
    expect([302, 404]).toContain(answer.status);
  });
});
