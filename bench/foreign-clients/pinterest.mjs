import assert from 'node:assert/strict';
import sdk from 'pinterest-sdk';

const scope = ['user_accounts:read', 'boards:read', 'boards:write', 'pins:read', 'pins:write'];
const isError = (status, code) => (error) => error.status === status && error.response.body.code === code;

export default async ({ step, notOffered, consent, files, redirectUri, forward, planFault }) => {
  const api = new sdk.ApiClient();
  const { pinterest_oauth2: access, basic } = api.authentications;
  Object.assign(basic, { username: 'sandbox', password: 'sandbox' });
  // The package hands its answers to a callback.
  const call = (Api, name, ...args) =>
    new Promise((resolve, reject) => {
      new Api(api)[name](...args, (error, data, response) => (error ? reject(error) : resolve(data ?? response.body)));
    });
  let tokens;
  let board;
  let pin;
  const createPin = (media_source, texts) =>
    call(sdk.PinsApi, 'pinsCreate', { board_id: board, title: 'Bread', ...texts, media_source });
  // Its call for tokens has no parameter for the code, so that its generic one is used.
  const fetchTokens = (form) =>
    new Promise((resolve, reject) => {
      const types = [['application/x-www-form-urlencoded'], ['application/json']];
      const done = (error, data) => (error ? reject(error) : resolve(data));
      api.callApi('/oauth/token', 'POST', {}, {}, {}, form, null, ['basic'], ...types, Object, null, done);
    });

  const callPlain = (path, method, body) =>
    new Promise((resolve, reject) => {
      const done = (error, data) => (error ? reject(error) : resolve(data));
      const types = [['application/json'], ['application/json']];
      api.callApi(path, method, {}, {}, {}, {}, body, ['pinterest_oauth2'], ...types, Object, null, done);
    });

  await step('sign in', async () => {
    const url = new URL('https://www.pinterest.com/oauth/');
    const query = { client_id: 'sandbox', redirect_uri: redirectUri, response_type: 'code', scope: scope.join(',') };
    url.search = new URLSearchParams({ ...query, state: 'some-state' }).toString();
    const code = (await consent(url)).searchParams.get('code');
    tokens = await fetchTokens({ grant_type: 'authorization_code', code, redirect_uri: redirectUri });
    access.accessToken = tokens.access_token;
    assert.equal((await call(sdk.UserAccountApi, 'userAccountGet', {})).username, 'anna');
    const { items } = await call(sdk.BoardsApi, 'boardsList', { pageSize: 25 });
    board = items[0].id;
    return 'the package has no helper for the consent page, and its call for tokens takes no code';
  });

  await notOffered('text', 'Pinterest takes no pin without a picture or a video');

  await step('picture', async () => {
    const { bytes, mimeType, url } = files.picture;
    const source = { source_type: 'image_base64', content_type: mimeType, data: bytes.toString('base64') };
    pin = await createPin(source, { description: 'A loaf', link: 'https://example.com/bread', alt_text: 'Bread' });
    await createPin({ source_type: 'image_url', url }, { description: 'By address' });
  });

  await step('video', async () => {
    const upload = await call(sdk.MediaApi, 'mediaCreate', { media_type: 'video' });
    const form = new FormData();
    for (const [name, value] of Object.entries(upload.upload_parameters)) form.append(name, value);
    form.append('file', new Blob([files.video.bytes], { type: files.video.mimeType }), 'bread.mp4');
    const stored = await fetch(upload.upload_url, { method: 'POST', body: form });
    assert.equal(stored.status, 204);
    let status;
    for (let turn = 0; status !== 'succeeded' && turn < 5; turn++) {
      status = (await call(sdk.MediaApi, 'mediaGet', upload.media_id)).status;
    }
    const cover = { cover_image_url: files.picture.url };
    await createPin({ source_type: 'video_id', media_id: upload.media_id, ...cover }, { description: 'Baking' });
  });

  await step('thread', async () => {
    const items = [files.picture, files.secondPicture].map(({ url }) => ({ url }));
    await createPin({ source_type: 'multiple_image_urls', items }, { description: 'Two loaves' });
    return 'several pictures in one pin';
  });

  await step('read', async () => {
    const { title, board_id } = await call(sdk.PinsApi, 'pinsGet', pin.id, {});
    assert.deepEqual([title, board_id], ['Bread', board]);
    const { items } = await call(sdk.BoardsApi, 'boardsListPins', board, { pageSize: 2 });
    assert.equal(items.length, 2);
  });

  await step('numbers', async () => {
    await forward(60 * 60_000);
    const today = new Date(Date.now() + 60 * 60_000).toISOString().slice(0, 10);
    const metrics = ['IMPRESSION', 'PIN_CLICK', 'OUTBOUND_CLICK', 'SAVE'];
    const { all } = await call(sdk.PinsApi, 'pinsAnalytics', pin.id, today, today, metrics, { appTypes: 'ALL' });
    for (const name of metrics) assert(all.summary_metrics[name] >= 0);
  });

  await step('edit', async () => {
    const update = (body) => callPlain(`/pins/${pin.id}`, 'PATCH', body);
    const changed = await update({ title: 'Rye bread', description: 'Two loaves' });
    assert.deepEqual([changed.title, changed.link], ['Rye bread', 'https://example.com/bread']);
    assert.equal((await call(sdk.PinsApi, 'pinsGet', pin.id, {})).description, 'Two loaves');
    await assert.rejects(update({ board_id: '1' }), isError(404, 40));
    return 'the package has no helper for it: its generic call was used';
  });

  await step('delete', async () => {
    const mistake = await createPin({ source_type: 'image_url', url: files.picture.url }, { description: 'A mistake' });
    await call(sdk.PinsApi, 'pinsDelete', mistake.id);
    await assert.rejects(call(sdk.PinsApi, 'pinsGet', mistake.id, {}), isError(404, 50));
  });

  await step('refresh', async () => {
    const renewed = await fetchTokens({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token });
    assert.notEqual(renewed.access_token, tokens.access_token);
    access.accessToken = renewed.access_token;
    await call(sdk.UserAccountApi, 'userAccountGet', {});
  });

  await notOffered('revoke', 'Pinterest has no such call');

  await step('rate limit', async () => {
    await planFault('read', '429');
    const today = new Date().toISOString().slice(0, 10);
    const read = call(sdk.PinsApi, 'pinsAnalytics', pin.id, today, today, ['SAVE'], {});
    await assert.rejects(read, isError(429, 8));
    return 'the client throws the error of superagent';
  });

  await step('bad input', async () => {
    const source = { source_type: 'image_url', url: files.picture.url };
    await assert.rejects(createPin(source, { title: 'a'.repeat(101) }), isError(400, 1));
    await assert.rejects(createPin(source, { board_id: '1' }), isError(404, 40));
    await assert.rejects(call(sdk.PinsApi, 'pinsGet', '1', {}), isError(404, 50));
  });

  await step('expired', async () => {
    await forward(31 * 24 * 60 * 60_000);
    await assert.rejects(call(sdk.UserAccountApi, 'userAccountGet', {}), isError(401, 2));
  });
};
