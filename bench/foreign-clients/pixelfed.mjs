import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import megalodon from 'megalodon';

// This version has no dialect for Pixelfed, which speaks Mastodon's API to clients.
const url = 'https://pixelfed.social';
const connect = (accessToken) => megalodon.default('mastodon', url, accessToken);
const isError = (status) => (error) => error?.isAxiosError === true && error.response.status === status;

export default async ({ step, notOffered, consent, files, redirectUri, forward, planFault }) => {
  let app;
  let token;
  let client;
  let post;
  const upload = async ({ bytes, mimeType }, description) => {
    const file = Readable.from([bytes]);
    // The form derives a file's name and type from its path.
    file.path = `bread.${mimeType.split('/')[1]}`;
    return (await client.uploadMedia(file, { description })).data.id;
  };

  await step('sign in', async () => {
    app = await connect().registerApp('Foreign client', { scopes: ['read', 'write'], redirect_uris: redirectUri });
    const code = (await consent(app.url)).searchParams.get('code');
    token = await connect().fetchAccessToken(app.client_id, app.client_secret, code, redirectUri);
    client = connect(token.access_token);
    assert.equal((await client.verifyAccountCredentials()).data.username, 'anna');
  });

  await notOffered('text', 'Pixelfed takes no post without a picture');

  await step('picture', async () => {
    const media_ids = [await upload(files.picture, 'A loaf')];
    post = (await client.postStatus('Fresh bread', { media_ids })).data;
    assert.equal(post.media_attachments[0].type, 'image');
  });

  await notOffered(
    'video',
    'a server takes videos only where its operator allows them, and the twin is one that does not',
  );

  await step('thread', async () => {
    const media_ids = [await upload(files.picture, 'One'), await upload(files.secondPicture, 'Two')];
    const album = (await client.postStatus('An album', { media_ids })).data;
    assert.equal(album.media_attachments.length, 2);
    const comment = (await client.postStatus('And more', { in_reply_to_id: album.id })).data;
    assert.equal(comment.in_reply_to_id, album.id);
    const { descendants } = (await client.getStatusContext(album.id)).data;
    assert.deepEqual(
      descendants.map(({ id }) => id),
      [comment.id],
    );
    return 'an album, and a comment below it';
  });

  await step('read', async () => {
    const { data } = await client.getStatus(post.id);
    assert.equal(data.content, '<p>Fresh bread</p>');
    assert.equal((await client.getAccountStatuses(post.account.id, { limit: 5 })).data.length, 2);
  });

  await step('numbers', async () => {
    await forward(60 * 60_000);
    const { data } = await client.getStatus(post.id);
    for (const name of ['favourites_count', 'reblogs_count', 'replies_count']) assert(data[name] >= 0);
  });

  await step('edit', async () => {
    const { data } = await client.editStatus(post.id, { status: 'Fresher bread' });
    assert.equal(data.content, '<p>Fresher bread</p>');
    assert.equal(data.media_attachments.length, 1);
    for (let edits = 1; edits < 10; edits++) await client.editStatus(post.id, { status: `Bread ${edits}` });
    await assert.rejects(client.editStatus(post.id, { status: 'Once more' }), isError(400));
  });

  await step('delete', async () => {
    const mistake = (await client.postStatus('A mistake', { media_ids: [await upload(files.picture)] })).data;
    await client.deleteStatus(mistake.id);
    await assert.rejects(client.getStatus(mistake.id), isError(404));
  });

  await notOffered('refresh', 'the dialect for Mastodon drops the refresh token');
  await notOffered('revoke', 'Pixelfed has no such call');

  await step('rate limit', async () => {
    const media_ids = [await upload(files.picture)];
    await assert.rejects(client.postStatus('Slowly [sandbox:429]', { media_ids }), (error) => {
      assert.equal(error.response.headers['retry-after'], '60');
      return isError(429)(error);
    });
    await planFault('read', '503');
    await assert.rejects(client.getStatus(post.id), isError(503));
    return 'the client throws the error of axios';
  });

  await step('bad input', async () => {
    await assert.rejects(client.postStatus('No picture'), isError(403));
    const media_ids = [await upload(files.picture)];
    await assert.rejects(client.postStatus('a'.repeat(501), { media_ids }), isError(422));
  });

  await step('expired', async () => {
    await forward(357 * 24 * 60 * 60_000);
    await assert.rejects(client.verifyAccountCredentials(), isError(401));
  });
};
