import assert from 'node:assert/strict';
import { createLinkedin } from './linkedin-steps.mjs';

const scopes = [
  ...['r_organization_social', 'w_organization_social', 'rw_organization_admin'],
  ...['r_organization_social_feed', 'w_organization_social_feed'],
];

export default async (stage) => {
  const { step, notOffered, forward } = stage;
  const linkedin = createLinkedin(stage);
  let page;
  let post;

  await step('sign in', async () => {
    await linkedin.signIn(scopes);
    const { data } = await linkedin.call('finder', {
      resourcePath: '/organizationAcls',
      finderName: 'roleAssignee',
      queryParams: { role: 'ADMINISTRATOR', state: 'APPROVED' },
    });
    page = data.elements[0].organization;
    assert.match(page, /^urn:li:organization:\d+$/);
    linkedin.writeAs(page);
  });
  await step('text', async () => {
    post = await linkedin.publish('Fresh bread');
  });
  await step('picture', async () => {
    await linkedin.publishPicture();
    return 'the bytes went out by fetch: the package sends no files';
  });
  await step('video', async () => void (await linkedin.publishVideo()));
  await step('thread', async () => {
    const album = await linkedin.publishAlbum();
    await forward(10_000);
    const comments = { resourcePath: '/socialActions/{urn}/comments', pathKeys: { urn: album } };
    const entity = { actor: page, object: album, message: { text: 'And more' } };
    const { createdEntityId } = await linkedin.call('create', { ...comments, entity });
    const { data } = await linkedin.call('getAll', comments);
    assert.deepEqual(
      data.elements.map(({ id }) => id),
      [createdEntityId],
    );
    return 'several pictures in one post, and a comment below it';
  });
  await step('read', async () => {
    const { data } = await linkedin.call('get', { resourcePath: '/posts/{urn}', pathKeys: { urn: post } });
    assert.equal(data.commentary, 'Fresh bread');
    const list = await linkedin.call('finder', {
      resourcePath: '/posts',
      finderName: 'author',
      queryParams: { author: page, count: 2, start: 0, sortBy: 'LAST_MODIFIED' },
    });
    assert.equal(list.data.elements.length, 2);
  });
  await notOffered('numbers', 'Posthorn reads no numbers of Pages, and neither has the twin any');
  await step('edit', async () => {
    const urn = await linkedin.edit();
    const { data } = await linkedin.call('get', { resourcePath: '/posts/{urn}', pathKeys: { urn } });
    assert.equal(data.commentary, 'Fresher rolls');
  });
  await step('delete', linkedin.remove);
  await step('refresh', linkedin.refresh);
  await notOffered('revoke', 'the package has no such call');
  await step('rate limit', async () => {
    await linkedin.meetRateLimit();
    return 'the client throws the error of axios';
  });
  await step('bad input', linkedin.meetBadInput);
  await step('expired', linkedin.meetExpiry);
};
