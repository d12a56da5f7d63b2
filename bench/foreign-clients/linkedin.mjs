import assert from 'node:assert/strict';
import { createLinkedin } from './linkedin-steps.mjs';

export default async (stage) => {
  const { step, notOffered } = stage;
  const linkedin = createLinkedin(stage);

  await step('sign in', async () => {
    await linkedin.signIn(['openid', 'profile', 'w_member_social']);
    const { data } = await linkedin.client.get({
      resourcePath: '/userinfo',
      accessToken: linkedin.tokens().access_token,
    });
    assert.equal(data.name, 'Anna');
    linkedin.writeAs(`urn:li:person:${data.sub}`);
  });
  await step('text', async () => void (await linkedin.publish('Fresh bread')));
  await step('picture', async () => {
    await linkedin.publishPicture();
    return 'the bytes went out by fetch: the package sends no files';
  });
  await step('video', async () => void (await linkedin.publishVideo()));
  await step('thread', async () => {
    await linkedin.publishAlbum();
    return 'several pictures in one post';
  });
  await notOffered('read', 'LinkedIn lets no app of self-service read the posts of a member');
  await notOffered('numbers', 'LinkedIn lets no app of self-service read numbers');
  await step('edit', async () => void (await linkedin.edit()));
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
