import assert from 'node:assert/strict';
import { createOAuthAPIClient, createRestAPIClient, MastoHttpError } from 'masto';

const url = 'https://mastodon.social';
const scope = 'read:accounts read:statuses write:statuses write:media';
const isError = (status) => (error) => error instanceof MastoHttpError && error.statusCode === status;

export default async ({ step, notOffered, consent, files, redirectUri, forward, planFault }) => {
  const oauth = createOAuthAPIClient({ url });
  let app;
  let token;
  let client;
  let post;
  const upload = ({ bytes, mimeType }, description) =>
    client.v2.media.create({ file: new Blob([bytes], { type: mimeType }), description });

  await step('sign in', async () => {
    app = await createRestAPIClient({ url }).v1.apps.create({
      clientName: 'Foreign client',
      redirectUris: redirectUri,
      scopes: scope,
      website: 'https://posthorn.example',
    });
    assert.equal(app.redirectUri, redirectUri);
    const page = new URL('/oauth/authorize', url);
    const query = { response_type: 'code', client_id: app.clientId, redirect_uri: redirectUri, scope };
    page.search = new URLSearchParams(query).toString();
    const code = (await consent(page)).searchParams.get('code');
    const { clientId, clientSecret } = app;
    const request = { grantType: 'authorization_code', clientId, clientSecret, redirectUri, code, scope };
    token = await oauth.token.create(request);
    client = createRestAPIClient({ url, accessToken: token.accessToken });
    const { username } = await client.v1.accounts.verifyCredentials();
    assert.equal(username, 'anna');
    const { configuration } = await client.v2.instance.fetch();
    assert.equal(configuration.statuses.maxCharacters, 500);
    return 'the client has no helper for the address of the consent page';
  });

  await step('text', async () => {
    post = await client.v1.statuses.create(
      { status: 'Fresh bread <3', visibility: 'public', language: 'en' },
      { requestInit: { headers: new Headers({ 'Idempotency-Key': 'bread' }) } },
    );
    const again = await client.v1.statuses.create(
      { status: 'Fresh bread <3', visibility: 'public', language: 'en' },
      { requestInit: { headers: new Headers({ 'Idempotency-Key': 'bread' }) } },
    );
    assert.equal(again.id, post.id);
  });

  await step('picture', async () => {
    const attachments = await Promise.all([upload(files.picture, 'A loaf'), upload(files.secondPicture, 'Two')]);
    const mediaIds = attachments.map(({ id }) => id);
    const { mediaAttachments } = await client.v1.statuses.create({ status: 'Loaves', mediaIds });
    assert.deepEqual(
      mediaAttachments.map(({ type, description, url }) => [type, description, typeof url]),
      [
        ['image', 'A loaf', 'string'],
        ['image', 'Two', 'string'],
      ],
    );
  });

  await step('video', async () => {
    const { id, url } = await upload(files.video, 'Baking');
    assert.equal(typeof url, 'string');
    const { mediaAttachments } = await client.v1.statuses.create({ status: 'A film', mediaIds: [id] });
    assert.equal(mediaAttachments[0].type, 'video');
  });

  await step('thread', async () => {
    const first = await client.v1.statuses.create({ status: 'One' });
    const second = await client.v1.statuses.create({ status: 'Two', inReplyToId: first.id });
    assert.equal(second.inReplyToId, first.id);
  });

  await step('read', async () => {
    const { content, emojis, tags, mentions } = await client.v1.statuses.$select(post.id).fetch();
    assert.equal(content, '<p>Fresh bread &lt;3</p>');
    assert.deepEqual([emojis, tags, mentions], [[], [], []]);
    const listed = [];
    for await (const page of client.v1.accounts.$select(post.account.id).statuses.list({ limit: 2 })) {
      listed.push(...page);
    }
    assert.equal(listed.length, 5);
  });

  await step('numbers', async () => {
    await forward(60 * 60_000);
    const status = await client.v1.statuses.$select(post.id).fetch();
    for (const name of ['favouritesCount', 'reblogsCount', 'repliesCount', 'quotesCount']) assert(status[name] >= 0);
  });

  await step('edit', async () => {
    const before = await client.v1.statuses.$select(post.id).fetch();
    assert.equal(before.editedAt, null);
    const edited = await client.v1.statuses.$select(post.id).update({ status: 'Fresher bread', spoilerText: 'Food' });
    assert.equal(edited.content, '<p>Fresher bread</p>');
    assert(Date.parse(edited.editedAt) >= Date.parse(edited.createdAt));
    assert(edited.favouritesCount >= before.favouritesCount);
    const source = await client.v1.statuses.$select(post.id).source.fetch();
    assert.deepEqual([source.text, source.spoilerText], ['Fresher bread', 'Food']);
    const versions = await client.v1.statuses.$select(post.id).history.list();
    assert.deepEqual(
      versions.map(({ content }) => content),
      ['<p>Fresh bread &lt;3</p>', '<p>Fresher bread</p>'],
    );
    const one = await client.v1.statuses.create({
      status: 'A loaf',
      mediaIds: [(await upload(files.picture, 'A loaf')).id],
    });
    const mediaIds = [(await upload(files.secondPicture, 'Two')).id, one.mediaAttachments[0].id];
    const more = await client.v1.statuses.$select(one.id).update({ status: 'Loaves', mediaIds });
    assert.deepEqual(
      more.mediaAttachments.map(({ description }) => description),
      ['Two', 'A loaf'],
    );
    await assert.rejects(client.v1.statuses.$select(post.id).update({ status: 'a'.repeat(501) }), isError(422));
  });

  await step('delete', async () => {
    const mistake = await client.v1.statuses.create({ status: 'A mistake' });
    assert.equal((await client.v1.statuses.$select(mistake.id).remove()).text, 'A mistake');
    await assert.rejects(client.v1.statuses.$select(mistake.id).fetch(), isError(404));
  });

  await notOffered('refresh', 'access tokens of Mastodon do not expire');
  await notOffered('expired', 'access tokens of Mastodon do not expire');

  await step('rate limit', async () => {
    await assert.rejects(client.v1.statuses.create({ status: 'Slowly [sandbox:429]' }), isError(429));
    await planFault('read', '503');
    await assert.rejects(client.v1.statuses.$select(post.id).fetch(), isError(503));
  });

  await step('bad input', async () => {
    await assert.rejects(client.v1.statuses.create({ status: 'a'.repeat(501) }), isError(422));
    await assert.rejects(client.v1.statuses.$select('1').fetch(), isError(404));
  });

  await step('revoke', async () => {
    const { clientId, clientSecret } = app;
    await oauth.revoke({ clientId, clientSecret, token: token.accessToken });
    await assert.rejects(client.v1.accounts.verifyCredentials(), isError(401));
  });
};
