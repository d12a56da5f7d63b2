import assert from 'node:assert/strict';
import { auth, mybusinessaccountmanagement } from '@googleapis/mybusinessaccountmanagement';
import { mybusinessbusinessinformation } from '@googleapis/mybusinessbusinessinformation';

const scope = ['https://www.googleapis.com/auth/business.manage'];
const isError = (status, name) => (error) =>
  error.constructor.name === 'GaxiosError' && error.status === status && error.response.data.error.status === name;

export default async ({ step, plainStep, notOffered, consent, files, redirectUri, forward }) => {
  const client = new auth.OAuth2({ clientId: 'sandbox', clientSecret: 'sandbox', redirectUri });
  const accounts = mybusinessaccountmanagement({ version: 'v1', auth: client, retry: false });
  const information = mybusinessbusinessinformation({ version: 'v1', auth: client, retry: false });
  let place;
  let post;
  // We found no package with the local posts of v4: Google's authorized client sends the requests of the reference.
  const request = async (path, options = {}) =>
    (await client.request({ url: `https://mybusiness.googleapis.com/v4/${path}`, retry: false, ...options })).data;
  const publish = (body) => request(`${place}/localPosts`, { method: 'POST', data: { languageCode: 'en', ...body } });

  await step('sign in', async () => {
    const url = client.generateAuthUrl({ access_type: 'offline', prompt: 'consent', scope });
    const { tokens } = await client.getToken((await consent(url)).searchParams.get('code'));
    client.setCredentials(tokens);
    const [account] = (await accounts.accounts.list()).data.accounts;
    const first = await information.accounts.locations.list({ parent: account.name, readMask: 'name,title,metadata' });
    const { nextPageToken: pageToken, locations } = first.data;
    assert.equal(locations[0].title, 'Anna Bakery');
    const second = await information.accounts.locations.list({ parent: account.name, readMask: 'name', pageToken });
    assert.equal(second.data.locations.length, 1);
    place = `${account.name}/${locations[0].name}`;
  });

  await plainStep('text', async () => {
    const callToAction = { actionType: 'LEARN_MORE', url: 'https://example.com/bread' };
    post = await publish({ summary: 'Fresh bread', topicType: 'STANDARD', callToAction });
    assert.equal(post.state, 'LIVE');
    return 'sent by the package of Google that signs requests';
  });

  await plainStep('picture', async () => {
    const media = [{ mediaFormat: 'PHOTO', sourceUrl: files.picture.url }];
    const { name } = await publish({ summary: 'A loaf', topicType: 'STANDARD', media });
    await request(name);
    assert.equal((await request(name)).state, 'LIVE');
    const data = {
      mediaFormat: 'PHOTO',
      locationAssociation: { category: 'EXTERIOR' },
      sourceUrl: files.picture.url,
    };
    const photo = await request(`${place}/media`, { method: 'POST', data });
    assert.equal((await request(photo.name)).locationAssociation.category, 'EXTERIOR');
    assert.deepEqual((await request(`${place}/media`)).mediaItems, [photo]);
    await request(photo.name, { method: 'DELETE' });
    await assert.rejects(request(photo.name), isError(404, 'NOT_FOUND'));
  });

  await notOffered('video', 'local posts take no videos');
  await notOffered('thread', 'local posts have no threads');

  await plainStep('read', async () => {
    assert.equal((await request(post.name)).summary, 'Fresh bread');
    const page = await request(`${place}/localPosts`, { params: { pageSize: 1 } });
    assert.equal(page.localPosts.length, 1);
    assert.equal(typeof page.nextPageToken, 'string');
  });

  await notOffered('numbers', 'Google has no numbers of local posts any more');

  await plainStep('edit', async () => {
    const change = (updateMask, data) => request(post.name, { method: 'PATCH', params: { updateMask }, data });
    const { summary, callToAction, createTime, updateTime } = await change('summary', { summary: 'Fresher bread' });
    assert.deepEqual([summary, callToAction.actionType], ['Fresher bread', 'LEARN_MORE']);
    assert(Date.parse(updateTime) >= Date.parse(createTime));
    assert.equal((await change('callToAction', {})).callToAction, undefined);
    await assert.rejects(change('', { summary: 'No mask' }), isError(400, 'INVALID_ARGUMENT'));
  });

  await plainStep('delete', async () => {
    const { name } = await publish({ summary: 'A mistake', topicType: 'STANDARD' });
    await request(name, { method: 'DELETE' });
    await assert.rejects(request(name), isError(404, 'NOT_FOUND'));
  });

  await step('refresh', async () => {
    const { credentials } = await client.refreshAccessToken();
    assert.equal(typeof credentials.access_token, 'string');
    await accounts.accounts.list();
  });

  await step('rate limit', () =>
    assert.rejects(
      publish({ summary: 'Slowly [sandbox:429]', topicType: 'STANDARD' }),
      isError(429, 'RESOURCE_EXHAUSTED'),
    ),
  );

  await step('bad input', async () => {
    const long = { summary: 'a'.repeat(1_501), topicType: 'STANDARD' };
    await assert.rejects(publish(long), isError(400, 'INVALID_ARGUMENT'));
    await assert.rejects(request(`${place}/localPosts/1`), isError(404, 'NOT_FOUND'));
  });

  await step('expired', async () => {
    await forward(3 * 60 * 60_000);
    await assert.rejects(accounts.accounts.list(), isError(401, 'UNAUTHENTICATED'));
    client.forceRefreshOnFailure = true;
    await accounts.accounts.list();
    return 'with forceRefreshOnFailure the client refreshed by itself';
  });

  await step('revoke', async () => {
    const { refresh_token: refreshToken } = client.credentials;
    await client.revokeCredentials();
    client.setCredentials({ refresh_token: refreshToken });
    await assert.rejects(client.refreshAccessToken(), (error) => error.response.data.error === 'invalid_grant');
  });
};
