import assert from 'node:assert/strict';
import { AtpAgent, RichText, XRPCError } from '@atproto/api';

const service = 'https://bsky.social';
const isError = (status, name) => (error) =>
  error instanceof XRPCError && error.status === status && (name === undefined || error.error === name);

export default async ({ step, notOffered, files, forward, planFault }) => {
  const sessionEvents = [];
  const agent = new AtpAgent({ service, persistSession: (event) => sessionEvents.push(event) });
  let post;

  await step('sign in', async () => {
    await assert.rejects(
      agent.login({ identifier: 'anna.bsky.social', password: 'wrong' }),
      isError(401, 'AuthenticationRequired'),
    );
    await agent.login({ identifier: 'anna.bsky.social', password: 'abcd-efgh-ijkl-mnop' });
    const { data } = await agent.getProfile({ actor: agent.assertDid });
    assert.equal(data.handle, 'anna.bsky.social');
  });

  await step('text', async () => {
    const text = new RichText({ text: 'Fresh bread for @anna.bsky.social, see https://example.com #bread' });
    await text.detectFacets(agent);
    assert.equal(text.facets.length, 3);
    post = await agent.post({ text: text.text, facets: text.facets, langs: ['en'] });
    assert.match(post.uri, /^at:\/\/did:plc:[a-z2-7]+\/app\.bsky\.feed\.post\//);
  });

  await step('picture', async () => {
    const { data } = await agent.uploadBlob(files.picture.bytes, { encoding: files.picture.mimeType });
    const images = [{ image: data.blob, alt: 'A loaf', aspectRatio: { width: 1, height: 1 } }];
    await agent.post({ text: 'A loaf', embed: { $type: 'app.bsky.embed.images', images } });
  });

  await step('video', async () => {
    const { data: access } = await agent.com.atproto.server.getServiceAuth({
      aud: `did:web:${agent.dispatchUrl.host}`,
      lxm: 'com.atproto.repo.uploadBlob',
      exp: Math.floor(Date.now() / 1000) + 30 * 60,
    });
    // The package has no call that uploads with a service token: Bluesky's guide uses fetch here, too.
    const address = new URL('https://video.bsky.app/xrpc/app.bsky.video.uploadVideo');
    address.searchParams.set('did', agent.assertDid);
    address.searchParams.set('name', 'bread.mp4');
    const upload = await fetch(address, {
      method: 'POST',
      headers: { authorization: `Bearer ${access.token}`, 'content-type': files.video.mimeType },
      body: files.video.bytes,
    });
    const { jobId } = await upload.json();
    const videos = new AtpAgent({ service: 'https://video.bsky.app' });
    let job = {};
    for (let turn = 0; job.blob === undefined && turn < 5; turn++) {
      job = (await videos.app.bsky.video.getJobStatus({ jobId })).data.jobStatus;
    }
    assert.equal(job.state, 'JOB_STATE_COMPLETED');
    await agent.post({ text: 'A film', embed: { $type: 'app.bsky.embed.video', video: job.blob, alt: 'Baking' } });
    return 'the bytes went out by fetch, as in Bluesky’s guide';
  });

  await step('thread', async () => {
    const refer = ({ uri, cid }) => ({ uri, cid });
    const root = refer(await agent.post({ text: 'One' }));
    const parent = refer(await agent.post({ text: 'Two', reply: { root, parent: root } }));
    await agent.post({ text: 'Three', reply: { root, parent } });
  });

  await step('read', async () => {
    const { value, cid } = await agent.getPost({ repo: agent.assertDid, rkey: post.uri.split('/').at(-1) });
    assert.equal(value.facets.length, 3);
    assert.equal(cid, post.cid);
  });

  await step('numbers', async () => {
    await forward(60 * 60_000);
    const { data } = await agent.getPosts({ uris: [post.uri] });
    const { author, likeCount, replyCount, repostCount, quoteCount, bookmarkCount } = data.posts[0];
    assert.equal(author.handle, 'anna.bsky.social');
    for (const number of [likeCount, replyCount, repostCount, quoteCount, bookmarkCount]) assert(number >= 0);
  });

  await notOffered('edit', 'Bluesky shows no edited posts');

  await step('delete', async () => {
    const mistake = await agent.post({ text: 'A mistake' });
    await agent.deletePost(mistake.uri);
    await assert.rejects(agent.getPost({ repo: agent.assertDid, rkey: mistake.uri.split('/').at(-1) }));
  });

  await step('refresh', async () => {
    const { accessJwt } = agent.session;
    await agent.sessionManager.refreshSession();
    assert.notEqual(agent.session.accessJwt, accessJwt);
  });

  await step('rate limit', async () => {
    await assert.rejects(agent.post({ text: 'Slowly [sandbox:429]' }), (error) => {
      assert.equal(error.headers['ratelimit-remaining'], '0');
      return isError(429, 'RateLimitExceeded')(error);
    });
    await planFault('read', '503');
    await assert.rejects(agent.getPosts({ uris: [post.uri] }), isError(503));
  });

  await step('expired', async () => {
    const before = sessionEvents.length;
    await forward(3 * 60 * 60_000);
    await agent.getPosts({ uris: [post.uri] });
    assert.deepEqual(sessionEvents.slice(before), ['update']);
    return 'the client refreshed by itself';
  });

  await step('bad input', () => assert.rejects(agent.post({ text: 'a'.repeat(301) }), isError(400, 'InvalidRequest')));

  await step('revoke', async () => {
    const session = { ...agent.session };
    await agent.logout();
    const other = new AtpAgent({ service });
    await assert.rejects(other.resumeSession(session), isError(400));
  });
};
