import assert from 'node:assert/strict';
import sdk from 'facebook-nodejs-business-sdk';

const { AdVideo, FacebookAdsApi, Page, PagePost, User } = sdk;
const scope = [
  ...['pages_show_list', 'pages_read_engagement', 'pages_manage_posts', 'pages_manage_engagement'],
  ...['business_management', 'read_insights'],
];
const isError = (code, subcode) => (error) =>
  error.name === 'FacebookRequestError' &&
  error.response.code === code &&
  (subcode === undefined || error.response.error_subcode === subcode);

export default async ({ step, notOffered, consent, files, redirectUri, forward, planFault }) => {
  const app = { client_id: 'sandbox', client_secret: 'sandbox' };
  const appToken = 'sandbox|app';
  let userToken;
  let page;
  let post;
  const uploadPhoto = async ({ url }) => (await new Page(page).createPhoto([], { url, published: false })).id;

  await step('sign in', async () => {
    const url = new URL(`https://www.facebook.com/${FacebookAdsApi.VERSION}/dialog/oauth`);
    const query = { client_id: 'sandbox', redirect_uri: redirectUri, response_type: 'code', scope: scope.join(',') };
    url.search = new URLSearchParams({ ...query, state: 'some-state' }).toString();
    const code = (await consent(url)).searchParams.get('code');
    const api = FacebookAdsApi.init(appToken);
    const short = await api.call('GET', ['oauth', 'access_token'], { ...app, redirect_uri: redirectUri, code });
    const exchange = { ...app, grant_type: 'fb_exchange_token', fb_exchange_token: short.access_token };
    userToken = (await api.call('GET', ['oauth', 'access_token'], exchange)).access_token;
    FacebookAdsApi.init(userToken);
    const [own] = await new User('me').getAccounts(['id', 'name', 'access_token']);
    page = own.id;
    FacebookAdsApi.init(own.access_token);
    assert.equal(own.name, 'Anna Bakery');
    return 'the package has no helper for OAuth: its generic call was used';
  });

  await step('text', async () => {
    post = await new Page(page).createFeed([], { message: 'Fresh bread', link: 'https://example.com/bread' });
    assert.match(post.id, new RegExp(`^${page}_\\d+$`));
  });

  await step('picture', async () => {
    const photo = await uploadPhoto(files.picture);
    await new Page(page).createFeed([], { message: 'A loaf', attached_media: [{ media_fbid: photo }] });
    return 'by address: the package drops files from its requests';
  });

  await step('video', async () => {
    const { id } = await new Page(page).createVideo([], { file_url: files.video.url, description: 'Baking' });
    await forward(60_000);
    const video = await new AdVideo(id).read(['status', 'permalink_url']);
    assert.equal(video.status.video_status, 'ready');
  });

  await step('thread', async () => {
    const photos = [await uploadPhoto(files.picture), await uploadPhoto(files.secondPicture)];
    const attached_media = photos.map((media_fbid) => ({ media_fbid }));
    const album = await new Page(page).createFeed([], { message: 'An album', attached_media });
    const comment = await new PagePost(album.id).createComment([], { message: 'And more' });
    assert.match(comment.id, /_/);
    return 'an album, and a comment below it';
  });

  await step('read', async () => {
    const { message, permalink_url } = await new PagePost(post.id).get(['message', 'created_time', 'permalink_url']);
    assert.equal(message, 'Fresh bread');
    assert.equal(typeof permalink_url, 'string');
    const posts = await new Page(page).getPublishedPosts(['id', 'message'], { limit: 2 });
    assert.equal(posts.length, 2);
    assert.equal((await posts.next()).length, 2);
  });

  await step('numbers', async () => {
    await forward(60 * 60_000);
    const insights = await new PagePost(post.id).getInsights(['name', 'values', 'title'], {
      metric: 'post_total_media_view_unique',
    });
    assert(insights[0].values[0].value >= 0);
    assert.equal(typeof insights[0].title, 'string');
    const { reactions } = await new PagePost(post.id).get(['shares', 'reactions.limit(0).summary(true)']);
    assert(reactions.summary.total_count >= 0);
  });

  await step('edit', async () => {
    await new PagePost(post.id).update([], { message: 'Fresher bread' });
    assert.equal((await new PagePost(post.id).get(['message'])).message, 'Fresher bread');
    await assert.rejects(new PagePost(`${page}_1`).update([], { message: 'No post' }), isError(100, 33));
  });

  await step('delete', async () => {
    const mistake = await new Page(page).createFeed([], { message: 'A mistake' });
    await new PagePost(mistake.id).delete([]);
    await assert.rejects(new PagePost(mistake.id).get(['message']), isError(100, 33));
  });

  await notOffered('refresh', 'the token of a Page does not expire');

  await step('rate limit', async () => {
    await planFault('read', '429');
    await assert.rejects(new PagePost(post.id).get(['message']), (error) => {
      assert.match(error.headers['x-business-use-case-usage'], /estimated_time_to_regain_access/);
      return isError(80001)(error);
    });
  });

  await step('bad input', async () => {
    await assert.rejects(new Page(page).createFeed([], {}), isError(100));
    await assert.rejects(new PagePost(`${page}_1`).get(['message']), isError(100, 33));
    await assert.rejects(new PagePost(post.id).get(['nonsense']), isError(100));
  });

  await step('expired', async () => {
    await forward(61 * 24 * 60 * 60_000);
    FacebookAdsApi.init(userToken);
    await assert.rejects(new User('me').getAccounts(['id']), isError(190, 463));
  });

  await step('revoke', async () => {
    const url = new URL(`https://www.facebook.com/${FacebookAdsApi.VERSION}/dialog/oauth`);
    const query = { client_id: 'sandbox', redirect_uri: redirectUri, response_type: 'code', scope: scope.join(',') };
    url.search = new URLSearchParams({ ...query, state: 'some-state' }).toString();
    const code = (await consent(url)).searchParams.get('code');
    const request = { ...app, redirect_uri: redirectUri, code };
    const { access_token: token } = await FacebookAdsApi.init(appToken).call('GET', ['oauth', 'access_token'], request);
    const api = FacebookAdsApi.init(token);
    await api.call('DELETE', ['me', 'permissions']);
    await assert.rejects(new User('me').getAccounts(['id']), isError(190));
  });
};
