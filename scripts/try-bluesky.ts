// npm run try:bluesky [-- --keep]
// Tests Posthorn's Bluesky adapter against the real server software of Bluesky, all of it on this machine.
// Not part of `npm test`: it needs the npm registry and a C++ compiler, and installs 500 MB into a temporary folder that it removes.
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { systemClock } from '#server/base/clock';
import { createOutbound } from '#server/base/outbound/guarded-client';
import { startEmbedded } from '#server/base/store/embedded';
import bluesky from '#server/networks/bluesky/index';
import type {
  NetworkAccount,
  NetworkItem,
  PublishMedia,
  ReadLinkCard,
  Sending,
  Sent,
  Site,
} from '#server/networks/network';
import { createRequest, type Request } from '#server/networks/request';
import { cardPicture } from '#server/networks/shared/picture';
import { createSites } from '#server/networks/sites';
import { NetworkTrouble } from '#server/networks/trouble';
import { mp4 } from '#test/support/videos';

const software = '@atproto/dev-env@0.6.7';
/** It needs Node 22 or later, so this script installs a separate Node for it. */
const nodePackage = `node-${process.platform}-${process.arch}`;
const nodeVersion = '24';
const run = promisify(execFile);
const say = (...words: unknown[]) => console.log(...words);
const chapter = (title: string) => say(`\n${title}`);

const nodeIn = (folder: string) => join(folder, 'node_modules', nodePackage, 'bin/node');

const install = async (folder: string) => {
  mkdirSync(folder, { recursive: true });
  if (existsSync(join(folder, 'ready'))) return;
  say(`Installing ${software} in ${folder}, which takes a few minutes …`);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const PATH = `${dirname(nodeIn(folder))}${delimiter}${process.env.PATH}`;
  const npm = (...args: string[]) =>
    run('npm', args, { cwd: folder, maxBuffer: 100_000_000, env: { ...process.env, PATH } });
  // From here on npm runs on this Node and selects packages for its version.
  await npm('install', '--ignore-scripts', '--no-audit', '--no-fund', `${nodePackage}@${nodeVersion}`);
  await npm('install', '--ignore-scripts', '--no-audit', '--no-fund', software);
  await npm(
    'rebuild',
    'better-sqlite3',
    '--build-from-source',
    `--nodedir=${join(folder, 'node_modules', nodePackage)}`,
  );
  const binding = join(folder, 'node_modules/better-sqlite3/build/Release/better_sqlite3.node');
  assert(existsSync(binding), 'better-sqlite3 was not compiled: is there a C++ compiler?');
  writeFileSync(join(folder, 'ready'), '');
};

const startNetwork = async (folder: string, data: string, databaseUrl: string) => {
  const program = resolve(import.meta.dirname, 'try-bluesky-network.mjs');
  const child = fork(program, [folder, data, databaseUrl], {
    execPath: nodeIn(folder),
    execArgv: ['--no-deprecation'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [{ url }] = (await nextMessage(child)) as [{ url: string }];
  return {
    url,
    /** Waits until the network has processed everything that was written. */
    settle: async () => {
      child.send('settle');
      await nextMessage(child);
    },
    stop: async () => {
      const gone = once(child, 'exit');
      child.disconnect();
      await gone;
    },
  };
};

const nextMessage = (child: ChildProcess) =>
  Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`The network ended with code ${code}.`))),
  ]);

/** An account that is not connected to Posthorn. */
const createPerson = async (url: string, name: string) => {
  const call = async (method: string, body: object, token?: string) => {
    const answer = await fetch(`${url}/xrpc/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method}: ${answer.status} ${text}`);
    return text === '' ? {} : JSON.parse(text);
  };
  const handle = `${name}.test`;
  const { did, accessJwt } = await call('com.atproto.server.createAccount', {
    handle,
    email: `${name}@example.com`,
    password: `${name}-password`,
  });
  const as = (method: string, body: object) => call(method, body, accessJwt);
  return {
    handle,
    did,
    call: as,
    appPassword: async () =>
      (await as('com.atproto.server.createAppPassword', { name: 'posthorn' })).password as string,
    write: (collection: string, record: object, rkey?: string): Promise<{ uri: string; cid: string }> =>
      as('com.atproto.repo.createRecord', {
        repo: did,
        collection,
        rkey,
        record: { $type: collection, createdAt: systemClock.now().toISOString(), ...record },
      }) as never,
    read: async (method: string) =>
      (await fetch(`${url}/xrpc/${method}`, { headers: { authorization: `Bearer ${accessJwt}` } })).json(),
  };
};

const file = (fields: Omit<PublishMedia, 'id' | 'url' | 'bytes' | 'read'>, bytes: Buffer): PublishMedia => ({
  ...fields,
  id: randomUUID(),
  url: '',
  bytes: bytes.length,
  read: async () => Readable.from([bytes]),
});

const describeTrouble = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert(error instanceof NetworkTrouble, 'there was no trouble');
  return `${error.kind} (${error.networkCode}): ${error.message}`;
};

const createWriter = (site: Site, account: NetworkAccount) => {
  const sendingOf = (
    items: NetworkItem<PublishMedia>[],
    options: Record<string, string>,
    out: Sent[],
    card?: ReadLinkCard,
  ): Sending => {
    const defaults = bluesky.options.flatMap(({ key, default: value }) => (value === undefined ? [] : [[key, value]]));
    const linkCards = card && [card];
    const post = { items, options: { ...Object.fromEntries(defaults), ...options }, ...(linkCards && { linkCards }) };
    const part = items[out.length];
    assert(part);
    const now = systemClock.now();
    return {
      account,
      post,
      index: out.length,
      part,
      out,
      key: randomUUID(),
      firstTriedAt: now,
      since: now,
      readPicture: async () => card?.pictureBytes,
    };
  };
  return {
    sendingOf,
    publish: async (items: NetworkItem<PublishMedia>[], options: Record<string, string> = {}, card?: ReadLinkCard) => {
      const out: Sent[] = [];
      for (const { body, media } of items) {
        const sending = sendingOf(items, options, out, card);
        const { prepared } = await bluesky.prepare(site, sending);
        const end = await bluesky.send(site, sending, prepared);
        assert(end.is === 'sent');
        say(
          `  out: ${JSON.stringify(body)}, ${media.length} files\n       ${end.sent.externalId}\n       ${end.sent.url}`,
        );
        assert.deepEqual(await bluesky.confirm(site, sending), end);
        out.push(end.sent);
      }
      return out;
    },
  };
};

type Network = Awaited<ReturnType<typeof startNetwork>>;
type Person = Awaited<ReturnType<typeof createPerson>>;

/** The people and connections that the chapters share. */
interface Scene {
  readonly network: Network;
  readonly anna: Person;
  readonly bert: Person;
  readonly site: Site;
  /** Anna's. */
  readonly account: NetworkAccount;
  readonly writer: ReturnType<typeof createWriter>;
}

const image = { kind: 'Image', mimeType: 'image/png', width: 640, height: 480 } as const;
const film = { kind: 'Video', mimeType: 'video/mp4', width: 1280, height: 720 } as const;
const picture = () =>
  sharp({ create: { width: 640, height: 480, channels: 3, background: '#c80' } })
    .png()
    .toBuffer();

const tryAll = async (network: Network) => {
  const anna = await createPerson(network.url, 'anna');
  const bert = await createPerson(network.url, 'bert');
  await anna.write('app.bsky.actor.profile', { displayName: 'Anna’s Bakery' }, 'self');
  await network.settle();
  const outbound = createOutbound({ allow: [new URL(network.url).host], plainHttp: true });
  try {
    const connected = await connectAnna(network, anna, createRequest(outbound, 20_000));
    const scene = { network, anna, bert, ...connected };
    const post = await writePost(scene);
    const thread = await writeThread(scene);
    await lookAsBert(scene, [post, ...thread]);
    await writeRichPosts(scene, thread);
    await meetTrouble(scene);
    await readNumbers(scene, post, thread);
    chapter('Anna takes the app password back');
    await anna.call('com.atproto.server.revokeAppPassword', { name: 'posthorn' });
    say(`  ${await describeTrouble(bluesky.refresh(scene.site, scene.account))}`);
  } finally {
    await outbound.close();
  }
};

const connectAnna = async (network: Network, anna: Person, request: Request) => {
  const here = { ...bluesky, hosts: { ...bluesky.hosts, pds: network.url, cards: network.url } };
  const sites = createSites({
    live: request,
    sandbox: { request, url: () => '', baseUrl: '' },
    setting: () => undefined,
    clock: systemClock,
  });
  const signIn = (password: string) =>
    bluesky.connect.signIn(sites.live(here), { handle: `@${anna.handle}`, password, server: '' });

  chapter('Connecting');
  say(`  a wrong password: ${await describeTrouble(signIn('aaaa-bbbb-cccc-dddd'))}`);
  const [account] = await signIn(await anna.appPassword());
  assert(account?.server);
  say(`  ${account.name}, @${account.handle}, ${account.id}`);
  say(`  server ${account.server}, scopes ${account.scopes}, access until ${account.tokens.expiresAt}`);
  const site = sites.live(here, { server: account.server });
  const tokens = await bluesky.refresh(site, account);
  assert.notEqual(tokens.refreshToken, account.tokens.refreshToken);
  say(`  renewed: access until ${tokens.expiresAt}`);
  const renewed = { ...account, tokens };
  return { site, account: renewed, writer: createWriter(site, renewed) };
};

const writePost = async ({ writer: { publish } }: Scene): Promise<Sent> => {
  chapter('A post with a mention, a link and a tag');
  const [post] = await publish(
    [{ body: 'Frische Brötchen 🥐 für @bert.test auf https://example.com/brot #Bäckerei', media: [] }],
    {
      'bluesky.languages': 'de',
    },
  );
  assert(post);
  return post;
};

const writeThread = async ({ writer: { publish } }: Scene): Promise<Sent[]> => {
  chapter('A thread with an image and a video, closed for replies and quotes');
  return publish(
    [
      { body: '1/3', media: [] },
      { body: '2/3', media: [file({ ...image, alt: 'Ein Brot' }, await picture())] },
      { body: '3/3', media: [file(film, mp4())] },
    ],
    { 'bluesky.reply_control': 'nobody', 'bluesky.allow_quotes': 'false', 'bluesky.content_label': 'nudity' },
  );
};

const lookAsBert = async ({ network, bert }: Scene, out: readonly Sent[]) => {
  chapter('What Bert sees');
  await network.settle();
  const uris = new URLSearchParams(out.map(({ externalId }) => ['uris', externalId]));
  const { posts: seen } = await bert.read(`app.bsky.feed.getPosts?${uris}`);
  for (const { record, embed, threadgate, viewer, labels } of seen) {
    const facets = (record.facets ?? []).map(
      ({ index, features }: { index: { byteStart: number; byteEnd: number }; features: { $type: string }[] }) =>
        `${features[0]?.$type.split('#')[1]} “${Buffer.from(record.text).subarray(index.byteStart, index.byteEnd)}”`,
    );
    say(
      `  “${record.text}”${record.reply ? ', a reply' : ''}; ${[...facets, embed?.$type ?? 'no embed'].join(', ')};`,
      `gate ${threadgate ? JSON.stringify(threadgate.record.allow) : 'none'};`,
      `may reply ${!viewer.replyDisabled}, may quote ${!viewer.embeddingDisabled};`,
      `labels ${labels.map(({ val }: { val: string }) => val)}`,
    );
  }
  assert.equal(seen.length, 4);
  assert(seen[1].viewer.replyDisabled && seen[1].viewer.embeddingDisabled);
};

const writeRichPosts = async ({ network, bert, writer: { publish } }: Scene, thread: readonly Sent[]) => {
  chapter('A quoted post beside an image, a link card with a picture, captions, a cashtag and a gallery');
  const { uri: fromBert } = await bert.write('app.bsky.feed.post', { text: 'Zitiere mich' });
  const { uri: closed } = await bert.write('app.bsky.feed.post', { text: 'Zitiere mich nicht' });
  const rule = { post: closed, embeddingRules: [{ $type: 'app.bsky.feed.postgate#disableRule' }] };
  await bert.write('app.bsky.feed.postgate', rule, closed.split('/').at(-1));
  await network.settle();
  const address = `https://bsky.app/profile/${bert.handle}/post/${fromBert.split('/').at(-1)}`;
  const [quoting] = await publish([{ body: 'Siehe $brot', media: [file({ ...image, alt: '' }, await picture())] }], {
    'bluesky.quote': address,
  });
  const quoteClosed = publish([{ body: 'Siehe', media: [] }], { 'bluesky.quote': closed });
  say(`  a post that may not be quoted: ${await describeTrouble(quoteClosed)}`);
  // An author may always quote a post of their own.
  await publish([{ body: 'Siehe oben', media: [] }], { 'bluesky.quote': thread[0]?.externalId ?? '' });
  const uri = 'https://example.com/brot';
  const card = { uri, title: 'Brot', description: 'Von heute', ...(await cardPicture(await picture(), 1_000_000)) };
  const [linking] = await publish([{ body: `Mehr auf ${uri}`, media: [] }], {}, card);
  const captions = 'WEBVTT\n\n00:00.000 --> 00:01.000\nGuten Morgen';
  const spoken = { 'bluesky.captions': captions, 'bluesky.languages': 'de' };
  const [speaking] = await publish([{ body: 'Film', media: [file(film, mp4())] }], spoken);
  const six = await Promise.all(
    [1, 2, 3, 4, 5, 6].map(async (n) => file({ ...image, alt: `Brot ${n}` }, await picture())),
  );
  const [gallery] = await publish([{ body: 'Sechs Brote', media: six }]);
  await network.settle();
  const richer = [quoting, linking, speaking, gallery].map((one) => ['uris', one?.externalId ?? '']);
  const { posts: rich } = await bert.read(`app.bsky.feed.getPosts?${new URLSearchParams(richer)}`);
  for (const { record, embed } of rich) say(`  “${record.text}”: ${JSON.stringify(embed).slice(0, 300)}`);
  assert.equal(rich[0].embed.record.record.uri, fromBert);
  assert.equal(rich[0].embed.media.$type, 'app.bsky.embed.images#view');
  assert.equal(rich[0].record.facets[0].features[0].tag, '$BROT');
  assert(rich[1].embed.external.thumb);
  assert.equal(rich[2].record.embed.captions[0].lang, 'de');
  assert.equal(rich[3].embed.$type, 'app.bsky.embed.gallery#view');
  assert.equal(rich[3].embed.items.length, six.length);
};

const meetTrouble = async ({ site, account, writer: { publish, sendingOf } }: Scene) => {
  chapter('Answers that were lost, and what is refused');
  const sending = sendingOf([{ body: 'Only once', media: [] }], {}, []);
  const { prepared } = await bluesky.prepare(site, sending);
  say(`  before it was sent, confirm says ${(await bluesky.confirm(site, sending)).is}`);
  await bluesky.send(site, sending, prepared);
  say(`  sent twice: ${await describeTrouble(bluesky.send(site, sending, prepared))}`);
  say(`  then confirm says ${(await bluesky.confirm(site, sending)).is}`);
  say(`  301 characters: ${await describeTrouble(publish([{ body: 'a'.repeat(301), media: [] }]))}`);
  const noise = sharp(randomBytes(1_200 * 1_200 * 3), { raw: { width: 1_200, height: 1_200, channels: 3 } });
  const heavy = file({ ...image, width: 1_200, height: 1_200 }, await noise.png().toBuffer());
  say(`  an image of ${heavy.bytes} bytes: ${await describeTrouble(publish([{ body: '', media: [heavy] }]))}`);
  const stale = { ...account, tokens: { ...account.tokens, accessToken: 'not.a.token' } };
  say(`  no valid token: ${await describeTrouble(bluesky.profile(site, stale))}`);
};

const readNumbers = async ({ network, anna, bert, site, account }: Scene, post: Sent, thread: readonly Sent[]) => {
  chapter('Statistics after Bert liked, reposted, answered, quoted and saved the first post');
  const subject = { uri: post.externalId, cid: (post.ref as { cid: string }).cid };
  await bert.write('app.bsky.feed.like', { subject });
  await bert.write('app.bsky.feed.repost', { subject });
  await bert.write('app.bsky.feed.post', { text: 'Lecker', reply: { root: subject, parent: subject } });
  await bert.write('app.bsky.feed.post', { text: 'Da', embed: { $type: 'app.bsky.embed.record', record: subject } });
  await bert.call('app.bsky.bookmark.createBookmark', subject);
  await anna.call('com.atproto.repo.deleteRecord', {
    repo: anna.did,
    collection: 'app.bsky.feed.post',
    rkey: thread[2]?.externalId.split('/').at(-1),
  });
  await network.settle();
  const published = [post, ...thread].map(({ externalId, ref = null }) => ({ externalId, ref, publishedAt: '' }));
  const readings = await bluesky.readMetrics(site, account, published);
  readings.forEach((reading, index) => {
    say(`  ${published[index]?.externalId}: ${JSON.stringify(reading)}`);
  });
  assert.deepEqual(readings[0], { is: 'numbers', metrics: { likes: 1, comments: 1, shares: 1, quotes: 1, saves: 1 } });
  assert.equal(readings[3]?.is, 'absent');
};

const keep = process.argv.includes('--keep');
const folder = keep ? join(tmpdir(), 'posthorn-try-bluesky') : mkdtempSync(join(tmpdir(), 'posthorn-try-bluesky-'));
// Turns Ctrl+C into an error, so that the cleanup runs and leaves no process and no file behind.
const interrupted = once(process, 'SIGINT').then(() => Promise.reject(new Error('It was interrupted.')));
const unlessInterrupted = (work: Promise<void>) => Promise.race([work, interrupted]);
try {
  await unlessInterrupted(install(folder));
  const data = mkdtempSync(join(folder, 'data-'));
  // PostgreSQL may run as another user.
  for (const one of [folder, data]) chmodSync(one, 0o711);
  const embedded = await startEmbedded(data);
  try {
    const { user = '', password = '', host } = embedded.config;
    const network = await startNetwork(
      folder,
      data,
      `postgres://${user}:${password}@/postgres?host=${encodeURIComponent(host)}`,
    );
    try {
      say(`${software} listens on ${network.url}`);
      await unlessInterrupted(tryAll(network));
      chapter('Everything went as it should.');
    } finally {
      await network.stop();
    }
  } finally {
    await embedded.stop();
    rmSync(data, { recursive: true, force: true });
  }
} finally {
  if (keep) say(`Kept in ${folder}.`);
  else rmSync(folder, { recursive: true, force: true });
}
