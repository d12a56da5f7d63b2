import assert from 'node:assert/strict';
import { register } from 'tsx/esm/api';

// The package is written in ES modules without the endings that Node needs.
register();
const { ThreadsApiError, ThreadsAuthenticatedApiClient, ThreadsPublicApiClient } = await import('threads-graph-api');

const scope = ['basic', 'content_publish', 'manage_replies', 'manage_insights'].map((name) => `threads_${name}`);
const isError = (code) => (error) => error instanceof ThreadsApiError && error.getThreadsError()?.error.code === code;

export default async ({ step, notOffered, consent, files, redirectUri, forward, planFault }) => {
  const oauth = new ThreadsPublicApiClient();
  let client;
  let post;
  const publish = async (params) => {
    const { id } = await client.createMediaContainer(params);
    await forward(30_000);
    return client.publish({ creationId: id });
  };

  await step('sign in', async () => {
    const url = oauth.createAuthorizationUrl('sandbox', redirectUri, scope, 'some-state');
    const code = (await consent(url)).searchParams.get('code');
    const token = await oauth.exchangeAuthorizationCode('sandbox', 'sandbox', redirectUri, code);
    client = new ThreadsAuthenticatedApiClient(token.access_token, token.user_id);
    const profile = await client.getUserProfile({ id: 'me', fields: ['id', 'username'] });
    assert.equal(profile.username, 'anna');
  });

  await step('text', async () => {
    post = await publish({ mediaType: 'TEXT', text: 'Fresh bread', replyControl: 'everyone' });
  });

  await step('picture', () => publish({ mediaType: 'IMAGE', text: 'A loaf', imageUrl: files.picture.url }));

  await step('video', () => publish({ mediaType: 'VIDEO', text: 'Baking', videoUrl: files.video.url }));

  await step('thread', async () => {
    const first = await client.createMediaContainer({
      mediaType: 'IMAGE',
      imageUrl: files.picture.url,
      isCarouselItem: true,
    });
    const second = await client.createMediaContainer({
      mediaType: 'VIDEO',
      videoUrl: files.video.url,
      isCarouselItem: true,
    });
    await forward(30_000);
    const carousel = await publish({ mediaType: 'CAROUSEL', text: 'Both', children: [first.id, second.id] });
    await publish({ mediaType: 'TEXT', text: 'And more', replyToId: carousel.id });
    return 'a carousel, and a reply to it';
  });

  await step('read', async () => {
    const { text, permalink } = await client.getMediaObject({
      id: post.id,
      fields: ['text', 'permalink', 'shortcode'],
    });
    assert.equal(text, 'Fresh bread');
    assert.equal(typeof permalink, 'string');
    const { data } = await client.getUserThreads({ id: 'me', fields: ['id', 'text'] });
    assert.equal(data.length, 4);
  });

  await step('numbers', async () => {
    await forward(10 * 60_000);
    const metrics = ['views', 'likes', 'replies', 'reposts', 'quotes'];
    const { data } = await client.getMediaMetrics({ id: post.id, metrics });
    assert.deepEqual(
      data.map(({ name }) => name),
      metrics,
    );
  });

  await notOffered('edit', 'Threads lets no app change a post');
  await notOffered('delete', 'the package has no such call');
  await notOffered('refresh', 'the package has no such call');
  await notOffered('revoke', 'the package has no such call');

  await step('rate limit', async () => {
    await planFault('read', '429');
    await assert.rejects(client.getMediaMetrics({ id: post.id, metrics: ['views'] }), isError(613));
  });

  await step('bad input', async () => {
    await assert.rejects(client.createMediaContainer({ mediaType: 'TEXT', text: 'a'.repeat(501) }), isError(100));
    await assert.rejects(client.publish({ creationId: '1' }), isError(24));
  });

  await step('expired', async () => {
    await forward(2 * 60 * 60_000);
    await assert.rejects(client.getUserProfile({ id: 'me', fields: ['id'] }), isError(190));
  });
};
