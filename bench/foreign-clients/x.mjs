import assert from 'node:assert/strict';
import { ApiResponseError, TwitterApi } from 'twitter-api-v2';

const app = { clientId: 'sandbox', clientSecret: 'sandbox' };
const scope = ['tweet.read', 'tweet.write', 'users.read', 'media.write', 'offline.access'];
const isError = (check) => (error) => error instanceof ApiResponseError && check(error);

export default async ({ step, notOffered, consent, files, redirectUri, forward, planFault }) => {
  const oauth = new TwitterApi(app);
  let session;
  let client;
  let post;

  await step('sign in', async () => {
    const { url, codeVerifier, state } = oauth.generateOAuth2AuthLink(redirectUri, { scope });
    const { searchParams } = await consent(url);
    assert.equal(searchParams.get('state'), state);
    session = await oauth.loginWithOAuth2({ code: searchParams.get('code'), codeVerifier, redirectUri });
    client = session.client.v2;
    assert.equal((await client.me()).data.username, 'anna');
  });

  await step('text', async () => {
    post = (await client.tweet('Fresh bread')).data;
    assert.equal(post.text, 'Fresh bread');
  });

  await step('picture', async () => {
    const id = await client.uploadMedia(files.picture.bytes, { media_type: files.picture.mimeType });
    await client.createMediaMetadata(id, { alt_text: { text: 'A loaf' } });
    await client.tweet('A loaf', { media: { media_ids: [id] } });
  });

  await step('video', async () => {
    const id = await client.uploadMedia(files.video.bytes, { media_type: files.video.mimeType });
    await client.tweet('A film', { media: { media_ids: [id] } });
  });

  await step('thread', async () => {
    const posts = await client.tweetThread(['One', 'Two', 'Three']);
    assert.equal(posts.length, 3);
  });

  await step('read', async () => {
    const { data } = await client.singleTweet(post.id, { 'tweet.fields': ['created_at'] });
    assert.equal(data.text, 'Fresh bread');
    assert(Date.parse(data.created_at) > 0);
    const me = await client.me();
    const timeline = await client.userTimeline(me.data.id, { max_results: 5 });
    await timeline.fetchNext(5);
    assert.equal(timeline.tweets.length, 6);
    const { data: communities } = await client.searchCommunities('bread');
    assert.equal(communities[0].name, 'Home Bakers');
  });

  await step('numbers', async () => {
    await forward(60 * 60_000);
    const { data } = await client.tweets([post.id], { 'tweet.fields': ['public_metrics'] });
    for (const name of ['impression_count', 'like_count', 'reply_count', 'retweet_count', 'quote_count']) {
      assert(data[0].public_metrics[name] >= 0);
    }
  });

  await notOffered('edit', 'X lets apps edit only for some paying accounts, and the package has no such call');

  await step('delete', async () => {
    const { data: mistake } = await client.tweet('A mistake');
    assert.equal((await client.deleteTweet(mistake.id)).data.deleted, true);
  });

  await step('refresh', async () => {
    session = await oauth.refreshOAuth2Token(session.refreshToken);
    client = session.client.v2;
    await client.me();
  });

  await step('rate limit', async () => {
    await assert.rejects(
      client.tweet('Slowly [sandbox:429]'),
      isError(({ rateLimitError, rateLimit }) => rateLimitError && rateLimit.remaining === 0 && rateLimit.reset > 0),
    );
    await planFault('read', '503');
    await assert.rejects(
      client.tweets([post.id]),
      isError(({ code }) => code === 503),
    );
  });

  await step('bad input', async () => {
    await assert.rejects(
      client.tweet('a'.repeat(281)),
      isError(({ code }) => code === 403),
    );
    await assert.rejects(
      client.tweet('Fresh bread'),
      isError(({ data }) => /duplicate/.test(data.detail)),
    );
    await assert.rejects(
      client.tweet('Too much', { nonsense: 1 }),
      isError(({ code }) => code === 400),
    );
  });

  await step('expired', async () => {
    await forward(3 * 60 * 60_000);
    await assert.rejects(
      client.me(),
      isError(({ isAuthError }) => isAuthError),
    );
    session = await oauth.refreshOAuth2Token(session.refreshToken);
  });

  await step('revoke', async () => {
    await oauth.revokeOAuth2Token(session.accessToken, 'access_token');
    await assert.rejects(
      session.client.v2.me(),
      isError(({ code }) => code === 401),
    );
  });
};
