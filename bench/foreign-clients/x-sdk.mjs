import assert from 'node:assert/strict';
import { ApiError, Client, generateCodeVerifier, OAuth2 } from '@xdevplatform/xdk';

const scope = ['tweet.read', 'tweet.write', 'users.read', 'media.write', 'offline.access'];
const isError = (status) => (error) => error instanceof ApiError && error.status === status;
const chunkBytes = 1024 * 1024;

export default async ({ step, notOffered, consent, files, redirectUri, forward, planFault }) => {
  const oauth = new OAuth2({ clientId: 'sandbox', clientSecret: 'sandbox', redirectUri, scope });
  let client;
  let post;

  await step('sign in', async () => {
    await oauth.setPkceParameters(generateCodeVerifier());
    // This version requests only `post.fields`, which the twin answers for a handle like this one.
    const { searchParams } = await consent(await oauth.getAuthorizationUrl('some-state'), 'renamed');
    const { access_token: accessToken } = await oauth.exchangeCode(searchParams.get('code'), oauth.getCodeVerifier());
    client = new Client({ accessToken });
    assert.equal((await client.users.getMe()).data.username, 'renamed');
  });

  await step('text', async () => {
    post = (await client.posts.create({ text: 'Fresh bread' })).data;
    assert.equal(post.text, 'Fresh bread');
  });

  await step('picture', async () => {
    const { data } = await client.media.upload({
      media: files.picture.bytes.toString('base64'),
      mediaCategory: 'tweet_image',
    });
    await client.media.createMetadata({ id: data.id, metadata: { altText: { text: 'A loaf' } } });
    await client.posts.create({ media: { mediaIds: [data.id] } });
  });

  await step('video', async () => {
    const { bytes, mimeType } = files.video;
    const { data } = await client.media.initializeUpload({
      mediaType: mimeType,
      mediaCategory: 'tweet_video',
      totalBytes: bytes.length,
    });
    for (let index = 0; index * chunkBytes < bytes.length; index++) {
      const chunk = bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes);
      await client.media.appendUpload(data.id, { media: chunk.toString('base64'), segmentIndex: index });
    }
    await client.media.finalizeUpload(data.id);
    let state;
    for (let turn = 0; state !== 'succeeded' && turn < 5; turn++) {
      const status = await client.media.getUploadStatus(data.id, { command: 'STATUS' });
      state = status.data.processingInfo.state;
    }
    const captions = Buffer.from('WEBVTT\n\n00:00.000 --> 00:01.000\nFresh');
    const { data: file } = await client.media.initializeUpload({
      mediaType: 'text/vtt',
      mediaCategory: 'subtitles',
      totalBytes: captions.length,
    });
    await client.media.appendUpload(file.id, { media: captions.toString('base64'), segmentIndex: 0 });
    await client.media.finalizeUpload(file.id);
    const subtitles = { id: file.id, languageCode: 'EN', displayName: 'English' };
    await client.media.createSubtitles({ id: data.id, mediaCategory: 'TweetVideo', subtitles });
    await client.posts.create({ text: 'A film', media: { mediaIds: [data.id] } });
  });

  await step('thread', async () => {
    const first = await client.posts.create({ text: 'One' });
    await client.posts.create({ text: 'Two', reply: { inReplyToTweetId: first.data.id } });
  });

  await step('read', async () => {
    const { data } = await client.posts.getById(post.id, { postFields: ['created_at'] });
    assert.equal(data.text, 'Fresh bread');
    assert(Date.parse(data.createdAt) > 0);
    const { data: communities } = await client.communities.search('bread', { communityFields: ['member_count'] });
    assert.equal(communities[0].memberCount, 4_210);
  });

  await step('numbers', async () => {
    await forward(60 * 60_000);
    const { data } = await client.posts.getByIds([post.id], { postFields: ['public_metrics'] });
    for (const name of ['impressionCount', 'likeCount', 'replyCount', 'repostCount', 'quoteCount', 'bookmarkCount']) {
      assert(data[0].publicMetrics[name] >= 0);
    }
  });

  await notOffered('edit', 'X lets apps edit only for some paying accounts, and the twin is none of them');

  await step('delete', async () => {
    const { data: mistake } = await client.posts.create({ text: 'A mistake' });
    assert.equal((await client.posts.delete(mistake.id)).data.deleted, true);
  });

  await step('refresh', async () => {
    const { access_token: accessToken } = await oauth.refreshToken();
    client = new Client({ accessToken });
    await client.users.getMe();
  });

  await notOffered('revoke', 'the package has no such call');

  await step('rate limit', async () => {
    await assert.rejects(client.posts.create({ text: 'Slowly [sandbox:429]' }), (error) => {
      assert.equal(error.headers.get('x-rate-limit-remaining'), '0');
      return isError(429)(error);
    });
    await planFault('read', '503');
    await assert.rejects(client.posts.getByIds([post.id]), isError(503));
  });

  await step('bad input', () => assert.rejects(client.posts.create({ text: 'a'.repeat(281) }), isError(403)));

  await step('expired', async () => {
    await forward(3 * 60 * 60_000);
    await assert.rejects(client.users.getMe(), isError(401));
  });
};
