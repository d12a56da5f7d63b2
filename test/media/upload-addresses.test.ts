import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { sql } from '#server/base/store/database';
import { speak } from '#test/support/mcp';
import { type Service, startService } from '#test/support/service';

const minuteMs = 60_000;

let service: Service;
let photo: Buffer;
beforeAll(async () => {
  service = await startService({}, { ownAddress: true });
  photo = await sharp({ create: { width: 1080, height: 1080, channels: 3, background: '#c0392b' } })
    .jpeg()
    .toBuffer();
});
afterAll(() => service.stop());

const list = async (token = service.token, to = service) =>
  (await to.call('media.list', {}, { authorization: `Bearer ${token}` })).body;
const addressFor = async (token?: string): Promise<string> => (await list(token)).upload.url;
const send = async (address: string, file: Buffer | string = photo, fields: Record<string, string> = {}) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.set('file', new Blob([file as BlobPart]), 'loaf.jpg');
  const answer = await fetch(address, { method: 'POST', body: form });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
};
const ids = async () => (await list()).media.map(({ id }: { id: string }) => id);
const filesLeft = async () =>
  (await readdir(join(service.config.dataDir, 'media')).catch(() => [])).filter((name) => !name.includes('thumbnail'));

test('takes one file without a token, as an upload of the person and workspace that it was given to', async () => {
  const { upload } = await list();
  expect(Date.parse(upload.expiresAt) - Date.now()).toBeGreaterThan(14 * minuteMs);
  const { status, body } = await send(upload.url, photo, { alt: 'A loaf' });
  expect({ status, body }).toMatchObject({ status: 200, body: { mimeType: 'image/jpeg', width: 1080, alt: 'A loaf' } });
  expect((await list()).media[0]).toMatchObject({ id: body.id, name: 'loaf.jpg' });
  const uploader = sql('test.uploadedBy', 'select uploaded_by, workspace_id from media where id = $1');
  expect(await service.database.query(uploader, [body.id])).toEqual([
    { uploadedBy: service.owner.userId, workspaceId: service.owner.workspaceId },
  ]);
});

test('stores nothing until it is used', async () => {
  const marks = sql('test.usedAddresses', 'select id from used_upload_addresses');
  const before = await service.database.query(marks);
  const address = await addressFor();
  expect(await service.database.query(marks)).toEqual(before);
  await send(address);
  expect(await service.database.query(marks)).toHaveLength(before.length + 1);
  // The clock of this process alone opens no address a second time.
  service.wallClock.forward(16 * minuteMs);
  await service.runChore('forget used upload addresses');
  expect((await send(address)).status).toBe(404);
  service.wallClock.forward(-16 * minuteMs);
  expect((await send(address)).status).toBe(409);
  const older = sql('test.older', `update used_upload_addresses set expires_at = now()`);
  await service.database.run(older);
  await service.runChore('forget used upload addresses');
  expect(await service.database.query(marks)).toEqual([]);
});

test('is used up by one file, also when two come at the same time', async () => {
  const address = await addressFor();
  const before = { ids: await ids(), files: (await filesLeft()).length };
  const statuses = (await Promise.all([send(address), send(address), send(address)])).map(({ status }) => status);
  expect(statuses.sort()).toEqual([200, 409, 409]);
  expect((await send(address)).body).toMatchObject({
    code: 'Conflict',
    message: expect.stringContaining('used already'),
  });
  expect(await ids()).toHaveLength(before.ids.length + 1);
  expect(await filesLeft()).toHaveLength(before.files + 1);
});

test('is still good after a file that was refused', async () => {
  const address = await addressFor();
  expect(await send(address, 'no picture')).toMatchObject({ status: 400, body: { issues: [{ path: 'file' }] } });
  const plain = await fetch(address, { method: 'POST', body: 'text', headers: { 'content-type': 'text/plain' } });
  expect([plain.status, (await plain.json()).message]).toEqual([400, expect.stringContaining('curl -F')]);
  expect((await send(address)).status).toBe(200);
});

test('ends after 15 minutes', async () => {
  const address = await addressFor();
  const late = await addressFor();
  service.wallClock.forward(14.9 * minuteMs);
  expect((await send(address)).status).toBe(200);
  service.wallClock.forward(0.2 * minuteMs);
  expect(await send(late)).toMatchObject({ status: 404, body: { code: 'NotFound' } });
  service.wallClock.forward(-15.1 * minuteMs);
});

test('is of one workspace: changed by a letter it is nothing, and another workspace sees no file of it', async () => {
  const address = await addressFor();
  // Not its last letter: part of that one has no meaning.
  const changed = address.replace(/.(?=.{10}$)/, (letter) => (letter === 'A' ? 'B' : 'A'));
  for (const wrong of [changed, `${service.url}/upload/v1.k1.nonsense`, `${service.url}/upload/x`]) {
    expect((await send(wrong)).status).toBe(404);
  }
  const other = await service.addWorkspace();
  const { body } = await send(await addressFor(other.token));
  expect(await ids()).not.toContain(body.id);
  expect((await list(other.token)).media.map(({ id }: { id: string }) => id)).toEqual([body.id]);
});

test('ends with the token, the membership and the role', async () => {
  const member = await service.addMember('editor');
  const spare = await service.posthorn.tokens.create(
    { userId: member.userId, workspaceId: member.workspaceId },
    'Spare',
  );
  const [ofToken, ofRole, ofMember] = [
    await addressFor(spare.token),
    await addressFor(member.token),
    await addressFor(member.token),
  ];
  await service.posthorn.tokens.revoke(spare.id);
  expect((await send(ofToken)).status).toBe(404);
  const owner = service.browser();
  await owner.signIn();
  const role = (to: string) => owner.patch(`/api/app/members/${member.userId}`, { role: to });
  expect((await role('viewer')).status).toBe(200);
  expect((await send(ofRole)).status).toBe(404);
  await role('editor');
  expect((await owner.delete(`/api/app/members/${member.userId}`)).status).toBe(200);
  expect((await send(ofMember)).status).toBe(404);
});

test('is for those who may write: no viewer, and nobody in the app, who needs none', async () => {
  const viewer = await service.addMember('viewer');
  expect(await list(viewer.token)).not.toHaveProperty('upload');
  const person = service.browser();
  await person.signIn();
  const { status, body } = await person.post('/api/app/actions/media.list');
  expect([status, body.upload]).toEqual([200, undefined]);
});

test('is named by validate where a network needs media, to those who may write', async () => {
  const accountId = await service.addAccount('instagram');
  const { id } = await service.client.posts.create({ accountIds: [accountId], body: 'Bread' });
  const { body } = await service.call('posts.validate', { id });
  const issue = body.issues.find(({ code }: { code: string }) => code === 'MediaRequired');
  const [address = ''] = /http\S+\/upload\/\S+/.exec(issue.message) ?? [];
  expect((await send(address)).status).toBe(200);
  const viewer = await service.addMember('viewer');
  const theirs = await service.call('posts.validate', { id }, { authorization: `Bearer ${viewer.token}` });
  expect([theirs.body.code, JSON.stringify(theirs.body)]).toEqual(['Invalid', expect.not.stringContaining('/upload/')]);
});

test('counts as a request of its token, and a wrong one as a request of its sender', async () => {
  const own = await startService({ REQUESTS_PER_MINUTE: '3' }, { ownAddress: true });
  onTestFinished(() => own.stop());
  own.wallClock.toNext(minuteMs);
  const { url } = (await list(own.token, own)).upload;
  expect((await send(url)).headers.get('ratelimit')).toContain('r=1');
  await list(own.token, own);
  expect((await list(own.token, own)).code).toBe('TooManyRequests');
  const wrong = async () => (await send(`${own.url}/upload/wrong`)).status;
  expect([await wrong(), await wrong(), await wrong(), await wrong()]).toEqual([404, 404, 404, 429]);
});

test('is never logged', async () => {
  const address = await addressFor();
  await send(address);
  await send(address);
  const secret = address.split('/upload/')[1] ?? '';
  expect(secret.length).toBeGreaterThan(50);
  expect(service.logLines.join('\n')).not.toContain(secret);
  expect(service.logLines.join('\n')).toContain('/upload/…');
});

test('media_list has a line for each file, and shows small pictures when asked', async () => {
  const agent = speak(service.url, service.token, '2025-11-25');
  const { id } = await service.client.media.upload(new Uint8Array(photo), { alt: 'A loaf', filename: 'my loaf.jpg' });
  const shown = (await agent.call('media_list', { ids: [id], show: true })).body.result;
  const [text, image, ...more] = shown.content;
  const [head, line, upload] = text.text.split('\n');
  expect(head).toBe('media, newest first:');
  expect(line).toMatch(new RegExp(`^- ${id}, jpeg, 1080x1080, \\d+ kB, alt "A loaf", "my loaf.jpg"$`));
  expect(upload).toMatch(/^To upload a local file, run: curl -F file=@FILE http\S+\/upload\/\S+ \(one file/);
  expect(more).toEqual([]);
  expect(image).toMatchObject({ type: 'image', mimeType: 'image/webp' });
  expect(await sharp(Buffer.from(image.data, 'base64')).metadata()).toMatchObject({ format: 'webp', width: 400 });
  expect((await agent.call('media_list', { ids: [id] })).body.result.content).toHaveLength(1);
});
