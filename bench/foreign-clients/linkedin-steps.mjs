// What profiles and Pages have in common. The package sends no files: they go to the addresses that LinkedIn hands out.
import assert from 'node:assert/strict';
import linkedin from 'linkedin-api-client';

const versionString = '202607';

export const isError = (status, code) => (error) =>
  error.isAxiosError === true &&
  error.response.status === status &&
  (code === undefined || JSON.stringify(error.response.data).includes(code));

export const createLinkedin = ({ consent, files, redirectUri, forward }) => {
  const auth = new linkedin.AuthClient({ clientId: 'sandbox', clientSecret: 'sandbox', redirectUrl: redirectUri });
  const client = new linkedin.RestliClient();
  let tokens;
  let author;
  const call = (method, request) => client[method]({ versionString, accessToken: tokens.access_token, ...request });

  const putBytes = async (url, bytes) => {
    const answer = await fetch(url, { method: 'PUT', body: bytes });
    assert(answer.ok, `The upload was answered with ${answer.status}.`);
    return answer.headers.get('etag');
  };

  const uploadPicture = async ({ bytes }) => {
    const { data } = await call('action', {
      resourcePath: '/images',
      actionName: 'initializeUpload',
      data: { initializeUploadRequest: { owner: author } },
    });
    await putBytes(data.value.uploadUrl, bytes);
    await forward(30_000);
    return data.value.image;
  };

  const uploadVideo = async ({ bytes }) => {
    const { data } = await call('action', {
      resourcePath: '/videos',
      actionName: 'initializeUpload',
      data: {
        initializeUploadRequest: {
          owner: author,
          fileSizeBytes: bytes.length,
          uploadCaptions: false,
          uploadThumbnail: false,
        },
      },
    });
    const { video, uploadToken, uploadInstructions } = data.value;
    const uploadedPartIds = [];
    for (const { uploadUrl, firstByte, lastByte } of uploadInstructions) {
      uploadedPartIds.push(await putBytes(uploadUrl, bytes.subarray(firstByte, lastByte + 1)));
    }
    await call('action', {
      resourcePath: '/videos',
      actionName: 'finalizeUpload',
      data: { finalizeUploadRequest: { video, uploadToken, uploadedPartIds } },
    });
    await forward(30_000);
    const status = await call('get', { resourcePath: '/videos/{id}', pathKeys: { id: video } });
    assert.equal(status.data.status, 'AVAILABLE');
    return video;
  };

  const publish = async (commentary, content) => {
    const { createdEntityId } = await call('create', {
      resourcePath: '/posts',
      entity: {
        author,
        commentary,
        visibility: 'PUBLIC',
        distribution: { feedDistribution: 'MAIN_FEED', targetEntities: [], thirdPartyDistributionChannels: [] },
        lifecycleState: 'PUBLISHED',
        isReshareDisabledByAuthor: false,
        ...(content && { content }),
      },
    });
    assert.match(createdEntityId, /^urn:li:(share|ugcPost):\d+$/);
    return createdEntityId;
  };

  return {
    client,
    call,
    publish,
    tokens: () => tokens,
    writeAs: (urn) => {
      author = urn;
    },

    signIn: async (scopes) => {
      const back = await consent(auth.generateMemberAuthorizationUrl(scopes, 'some-state'));
      assert.equal(back.searchParams.get('state'), 'some-state');
      tokens = await auth.exchangeAuthCodeForAccessToken(back.searchParams.get('code'));
    },

    publishPicture: async () =>
      publish('A loaf', { media: { id: await uploadPicture(files.picture), altText: 'Bread' } }),

    publishVideo: async () => publish('Baking', { media: { id: await uploadVideo(files.video), title: 'Baking' } }),

    publishAlbum: async () => {
      const images = [await uploadPicture(files.picture), await uploadPicture(files.secondPicture)];
      return publish('An album', { multiImage: { images: images.map((id) => ({ id })) } });
    },

    edit: async () => {
      const urn = await publish('Fresh rolls');
      const patch = (patchSetObject, id = urn) =>
        call('partialUpdate', { resourcePath: '/posts/{urn}', pathKeys: { urn: id }, patchSetObject });
      assert.equal((await patch({ commentary: 'Fresher rolls' })).status, 204);
      await assert.rejects(patch({ visibility: 'LOGGED_IN' }), isError(422));
      await assert.rejects(patch({ commentary: 'Nothing' }, 'urn:li:share:1'), isError(404));
      return urn;
    },

    remove: async () => {
      const urn = await publish('A mistake');
      for (let time = 0; time < 2; time++) {
        const { status } = await call('delete', { resourcePath: '/posts/{urn}', pathKeys: { urn } });
        assert.equal(status, 204);
      }
      // The same text again is no duplicate any more.
      await publish('A mistake');
    },

    refresh: async () => {
      const before = tokens.access_token;
      const renewed = await auth.exchangeRefreshTokenForAccessToken(tokens.refresh_token);
      assert.notEqual(renewed.access_token, before);
      tokens = renewed;
    },

    meetRateLimit: () => assert.rejects(publish('Slowly \\[sandbox:429\\]'), isError(429)),

    meetBadInput: async () => {
      await assert.rejects(publish('a'.repeat(3_001)), isError(422));
      await assert.rejects(publish('Fresh bread'), isError(422, 'DUPLICATE_POST'));
      await assert.rejects(call('create', { resourcePath: '/posts', entity: { nonsense: 1 } }), isError(422));
      await assert.rejects(call('get', { resourcePath: '/posts', versionString: '202001' }), isError(426));
    },

    meetExpiry: async () => {
      await forward(61 * 24 * 60 * 60_000);
      await assert.rejects(publish('Late'), isError(401, 'EXPIRED_ACCESS_TOKEN'));
    },
  };
};
