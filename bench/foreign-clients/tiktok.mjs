import assert from 'node:assert/strict';
import { generateCodeVerifier, TikTok } from 'arctic';

const scopes = ['user.info.basic', 'video.publish', 'video.upload', 'video.list'];

class TikTokError extends Error {
  constructor(status, { code, message }) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
const isError = (status, code) => (error) =>
  error instanceof TikTokError && error.status === status && error.code === code;

export default async ({ step, plainStep, notOffered, consent, files, redirectUri, forward, planFault }) => {
  const oauth = new TikTok('sandbox', 'sandbox', redirectUri);
  let tokens;
  let post;
  // We found no package that posts through v2: these are the requests of TikTok's reference, with its headers.
  const request = async (path, body) => {
    const answer = await fetch(`https://open.tiktokapis.com/v2/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${tokens.accessToken()}`,
        ...(body && { 'content-type': 'application/json; charset=UTF-8' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    // Ids of posts are larger than a JavaScript number.
    const { data, error } = JSON.parse((await answer.text()).replace(/\[(\d{16,})\]/g, '["$1"]'));
    if (error.code !== 'ok') throw new TikTokError(answer.status, error);
    return data;
  };
  const settle = async (publish_id) => {
    let status = {};
    for (let turn = 0; status.publicaly_available_post_id?.[0] === undefined && turn < 5; turn++) {
      await forward(60_000);
      status = await request('post/publish/status/fetch/', { publish_id });
    }
    assert.equal(status.status, 'PUBLISH_COMPLETE');
    return status.publicaly_available_post_id[0];
  };
  const publishPhotos = async (images, description) => {
    const { publish_id } = await request('post/publish/content/init/', {
      media_type: 'PHOTO',
      post_mode: 'DIRECT_POST',
      post_info: {
        title: 'Bread',
        description,
        privacy_level: 'PUBLIC_TO_EVERYONE',
        disable_comment: false,
        auto_add_music: true,
      },
      source_info: { source: 'PULL_FROM_URL', photo_cover_index: 0, photo_images: images.map(({ url }) => url) },
    });
    return publish_id;
  };

  await step('sign in', async () => {
    const verifier = generateCodeVerifier();
    const back = await consent(oauth.createAuthorizationURL('some-state', verifier, scopes));
    assert.equal(back.searchParams.get('state'), 'some-state');
    tokens = await oauth.validateAuthorizationCode(back.searchParams.get('code'), verifier);
    assert.equal(tokens.hasRefreshToken(), true);
    const { user } = await request('user/info/?fields=open_id,display_name');
    assert.equal(user.display_name, 'Anna');
  });

  await notOffered('text', 'TikTok takes no post without a video or photos');

  await plainStep('picture', async () => void (await settle(await publishPhotos([files.picture], 'A loaf'))));

  await plainStep('video', async () => {
    const { privacy_level_options: options } = await request('post/publish/creator_info/query/', {});
    assert(options.includes('PUBLIC_TO_EVERYONE'));
    const { bytes } = files.video;
    const { publish_id, upload_url } = await request('post/publish/video/init/', {
      post_info: {
        title: 'Baking bread #bread',
        privacy_level: 'PUBLIC_TO_EVERYONE',
        disable_duet: false,
        disable_comment: false,
        disable_stitch: false,
        video_cover_timestamp_ms: 1000,
      },
      source_info: {
        source: 'FILE_UPLOAD',
        video_size: bytes.length,
        chunk_size: bytes.length,
        total_chunk_count: 1,
      },
    });
    const upload = await fetch(upload_url, {
      method: 'PUT',
      headers: { 'content-range': `bytes 0-${bytes.length - 1}/${bytes.length}`, 'content-type': 'video/mp4' },
      body: bytes,
    });
    assert.equal(upload.status, 201);
    post = await settle(publish_id);
  });

  await plainStep('thread', async () => {
    await settle(await publishPhotos([files.picture, files.secondPicture], 'Two loaves'));
    return 'several photos in one post';
  });

  await plainStep('read', async () => {
    const { videos } = await request('video/list/?fields=id,title,create_time,share_url', { max_count: 10 });
    assert(videos.some(({ id, title }) => id === post && title === 'Baking bread #bread'));
  });

  await plainStep('numbers', async () => {
    const fields = 'id,view_count,like_count,comment_count,share_count';
    const { videos } = await request(`video/query/?fields=${fields}`, { filters: { video_ids: [post] } });
    for (const name of fields.split(',').slice(1)) assert(videos[0][name] >= 0);
  });

  await notOffered('edit', 'TikTok lets no app change a post');
  await notOffered('delete', 'TikTok lets no app delete a post');

  await step('refresh', async () => {
    const before = tokens.accessToken();
    tokens = await oauth.refreshAccessToken(tokens.refreshToken());
    assert.notEqual(tokens.accessToken(), before);
  });

  await plainStep('rate limit', async () => {
    await planFault('upload', '429');
    const source_info = { source: 'FILE_UPLOAD', video_size: 10, chunk_size: 10, total_chunk_count: 1 };
    const post_info = { privacy_level: 'SELF_ONLY' };
    const begin = request('post/publish/video/init/', { post_info, source_info });
    await assert.rejects(begin, isError(429, 'rate_limit_exceeded'));
  });

  await plainStep('bad input', async () => {
    await assert.rejects(request('user/info/?fields=nonsense'), isError(400, 'invalid_params'));
    await assert.rejects(
      request('post/publish/status/fetch/', { publish_id: '1' }),
      isError(400, 'invalid_publish_id'),
    );
  });

  await step('expired', async () => {
    await forward(25 * 60 * 60_000);
    await assert.rejects(request('user/info/?fields=open_id'), isError(401, 'access_token_invalid'));
    tokens = await oauth.refreshAccessToken(tokens.refreshToken());
    await request('user/info/?fields=open_id');
  });

  await step('revoke', async () => {
    await oauth.revokeToken(tokens.accessToken());
    await assert.rejects(request('user/info/?fields=open_id'), isError(401, 'access_token_invalid'));
  });
};
