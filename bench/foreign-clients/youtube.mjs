import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { auth, youtube } from '@googleapis/youtube';

const scope = ['youtube.upload', 'youtube.readonly', 'youtube.force-ssl'].map(
  (name) => `https://www.googleapis.com/auth/${name}`,
);
const isError = (status, reason) => (error) =>
  error.constructor.name === 'GaxiosError' &&
  error.status === status &&
  (reason === undefined || error.response.data.error.errors[0].reason === reason);

export default async ({ step, notOffered, consent, files, redirectUri, forward, planFault }) => {
  const client = new auth.OAuth2({ clientId: 'sandbox', clientSecret: 'sandbox', redirectUri });
  const api = youtube({ version: 'v3', auth: client, retry: false });
  let video;
  const insert = (title, more = {}) =>
    api.videos.insert({
      part: ['snippet', 'status'],
      requestBody: { snippet: { title, description: 'Baking', ...more }, status: { privacyStatus: 'public' } },
      media: { mimeType: files.video.mimeType, body: Readable.from([files.video.bytes]) },
    });

  await step('sign in', async () => {
    const { codeVerifier, codeChallenge } = await client.generateCodeVerifierAsync();
    const url = client.generateAuthUrl({
      access_type: 'offline',
      prompt: 'consent',
      scope,
      state: 'some-state',
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
    });
    const code = (await consent(url)).searchParams.get('code');
    const { tokens } = await client.getToken({ code, codeVerifier });
    assert.equal(typeof tokens.refresh_token, 'string');
    client.setCredentials(tokens);
    const { data } = await api.channels.list({ part: ['snippet'], mine: true });
    assert.equal(data.items[0].snippet.customUrl, '@anna');
  });

  await notOffered('text', 'YouTube takes videos alone');
  await notOffered('picture', 'YouTube takes videos alone');
  await notOffered('thread', 'YouTube has no threads');

  await step('video', async () => {
    video = (await insert('Baking bread')).data;
    assert.equal(video.snippet.title, 'Baking bread');
    assert.equal(video.status.uploadStatus, 'uploaded');
    return 'as one body of two parts: the package has no resumable uploads';
  });

  await step('read', async () => {
    const { data } = await api.videos.list({ part: ['snippet', 'status'], id: [video.id] });
    assert.equal(data.items[0].snippet.title, 'Baking bread');
    assert.equal(data.items[0].status.privacyStatus, 'public');
    assert.equal(data.items[0].statistics, undefined);
  });

  await step('numbers', async () => {
    await forward(30 * 60_000);
    const { data } = await api.videos.list({ part: ['statistics'], id: [video.id] });
    for (const name of ['viewCount', 'likeCount', 'commentCount'])
      assert.match(data.items[0].statistics[name], /^\d+$/);
  });

  await step('edit', async () => {
    const update = (part, resource) => api.videos.update({ part, requestBody: { id: video.id, ...resource } });
    const snippet = { title: 'Baking rye bread', categoryId: '26' };
    const { data } = await update(['snippet'], { snippet });
    assert.deepEqual([data.snippet.title, data.snippet.description], ['Baking rye bread', '']);
    assert.equal(data.status, undefined);
    const { data: locked } = await update(['status'], { status: { privacyStatus: 'unlisted' } });
    assert.equal(locked.status.privacyStatus, 'unlisted');
    const { data: list } = await api.videos.list({ part: ['snippet', 'status'], id: [video.id] });
    assert.equal(list.items[0].snippet.title, 'Baking rye bread');
    await assert.rejects(
      update(['snippet'], { snippet: { title: 'No category' } }),
      isError(400, 'invalidVideoMetadata'),
    );
  });

  await step('delete', async () => {
    const { data: mistake } = await insert('A mistake');
    assert.equal((await api.videos.delete({ id: mistake.id })).status, 204);
    await assert.rejects(api.videos.delete({ id: mistake.id }), isError(404, 'videoNotFound'));
  });

  await step('refresh', async () => {
    const { credentials } = await client.refreshAccessToken();
    assert.equal(typeof credentials.access_token, 'string');
    await api.channels.list({ part: ['snippet'], mine: true });
  });

  await step('rate limit', async () => {
    await planFault('read', '429');
    await assert.rejects(api.videos.list({ part: ['statistics'], id: [video.id] }), isError(429, 'rateLimitExceeded'));
    await planFault('read', '429-bare');
    await assert.rejects(api.videos.list({ part: ['statistics'], id: [video.id] }), isError(403, 'quotaExceeded'));
  });

  await step('bad input', async () => {
    await assert.rejects(insert('a'.repeat(101)), isError(400, 'invalidTitle'));
    await assert.rejects(insert('Bread', { categoryId: '999' }), isError(400, 'invalidCategoryId'));
  });

  await step('expired', async () => {
    await forward(3 * 60 * 60_000);
    await assert.rejects(api.channels.list({ part: ['snippet'], mine: true }), isError(401, 'authError'));
    client.forceRefreshOnFailure = true;
    await api.channels.list({ part: ['snippet'], mine: true });
    return 'with forceRefreshOnFailure the client refreshed by itself';
  });

  await step('revoke', async () => {
    const { refresh_token: refreshToken } = client.credentials;
    await client.revokeCredentials();
    client.setCredentials({ refresh_token: refreshToken });
    await assert.rejects(client.refreshAccessToken(), (error) => error.response.data.error === 'invalid_grant');
  });
};
