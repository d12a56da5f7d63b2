import assert from 'node:assert/strict';
import sdk from 'facebook-nodejs-business-sdk';

// The package asks graph.facebook.com, where Instagram answers the same calls as on graph.instagram.com.
const { FacebookAdsApi, IGMedia, IGUser } = sdk;
const scope = ['basic', 'content_publish', 'manage_comments', 'manage_insights'].map(
  (name) => `instagram_business_${name}`,
);
const isError = (code, subcode) => (error) =>
  error.name === 'FacebookRequestError' &&
  error.response.code === code &&
  (subcode === undefined || error.response.error_subcode === subcode);

export default async ({ step, plainStep, notOffered, consent, files, redirectUri, forward, planFault }) => {
  let user;
  let post;
  const create = async (params) => (await new IGUser(user).createMedia([], params)).id;
  const publish = async (params) => {
    const creation_id = await create(params);
    await forward(30_000);
    const { status_code } = await new IGMedia(creation_id).get(['status_code']);
    assert.equal(status_code, 'FINISHED');
    return new IGUser(user).createMediaPublish([], { creation_id });
  };
  // The package has no sign-in for Instagram: these are the requests of Meta's reference.
  const signIn = async () => {
    const url = new URL('https://www.instagram.com/oauth/authorize');
    const query = { client_id: 'sandbox', redirect_uri: redirectUri, response_type: 'code', scope: scope.join(',') };
    url.search = new URLSearchParams(query).toString();
    const form = new FormData();
    const code = (await consent(url)).searchParams.get('code');
    const fields = { client_id: 'sandbox', client_secret: 'sandbox', grant_type: 'authorization_code', code };
    for (const [name, value] of Object.entries({ ...fields, redirect_uri: redirectUri })) form.append(name, value);
    const answer = await fetch('https://api.instagram.com/oauth/access_token', { method: 'POST', body: form });
    return (await answer.json()).access_token;
  };

  await plainStep('sign in', async () => {
    FacebookAdsApi.init(await signIn());
    const me = await new IGUser('me').get(['user_id', 'username']);
    assert.equal(me.username, 'anna');
    user = me.user_id;
  });

  await notOffered('text', 'Instagram takes no post without a picture or a video');

  await step('picture', async () => {
    post = await publish({ image_url: files.picture.url, caption: 'A loaf', alt_text: 'A loaf of bread' });
  });

  await step('video', () => publish({ media_type: 'REELS', video_url: files.video.url, caption: 'Baking' }));

  await step('thread', async () => {
    const items = [{ image_url: files.picture.url }, { media_type: 'VIDEO', video_url: files.video.url }];
    const children = [];
    for (const item of items) children.push(await create({ ...item, is_carousel_item: true }));
    await forward(30_000);
    const album = await publish({ media_type: 'CAROUSEL', children: children.join(','), caption: 'Both' });
    const comment = await new IGMedia(album.id).createComment([], { message: 'And more' });
    assert.match(comment.id, /^\d+$/);
    return 'a carousel, and a comment below it';
  });

  await step('read', async () => {
    const { caption, permalink } = await new IGMedia(post.id).get(['caption', 'permalink', 'timestamp']);
    assert.equal(caption, 'A loaf');
    assert.equal(typeof permalink, 'string');
    assert.equal((await new IGUser(user).getMedia(['id', 'caption'])).length, 3);
  });

  await step('numbers', async () => {
    await forward(10 * 60_000);
    const metric = 'views,reach,likes,comments,shares,saved';
    const insights = await new IGMedia(post.id).getInsights(['name', 'values', 'title', 'description'], { metric });
    assert.equal(insights.length, 6);
    for (const { title, values } of insights) assert(title !== undefined && values[0].value >= 0);
  });

  await notOffered('edit', 'Instagram lets no app change a caption');
  await notOffered('delete', 'Instagram lets no app delete a post');
  await notOffered('refresh', 'the package has no such call');

  await step('rate limit', async () => {
    await planFault('read', '429');
    await assert.rejects(new IGMedia(post.id).getInsights([], { metric: 'views' }), isError(4));
  });

  await step('bad input', async () => {
    await assert.rejects(create({ image_url: files.video.url }), isError(36001, 2207005));
    await assert.rejects(create({ image_url: files.picture.url, caption: 'a'.repeat(2_201) }), isError(36004));
    await assert.rejects(new IGMedia('1').get(['caption']), isError(100, 33));
  });

  await step('expired', async () => {
    await forward(2 * 60 * 60_000);
    await assert.rejects(new IGMedia(post.id).get(['caption']), isError(190, 463));
  });

  await step('revoke', async () => {
    const api = FacebookAdsApi.init(await signIn());
    await api.call('DELETE', ['me', 'permissions']);
    await assert.rejects(new IGMedia(post.id).get(['caption']), isError(190));
  });
};
