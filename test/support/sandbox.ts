import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import express from 'express';
import sharp from 'sharp';
import { createOutbound } from '#server/base/outbound/guarded-client';
import type {
  Confirmation,
  Network,
  NetworkAccount,
  NetworkMedia,
  NetworkPost,
  PublishMedia,
  Sending,
  Sent,
  Site,
} from '#server/networks/network';
import { createRequest } from '#server/networks/request';
import { createSites } from '#server/networks/sites';
import { createMemorySandboxStore } from '#server/simulation/sandbox/memory-records';
import { createSandboxes } from '#server/simulation/sandbox/sandboxes';
import { signIn } from '#server/simulation/sandbox/sign-up';
import { type RecordedRequest, recordRequests } from './documented.ts';
import { documented, sandboxes as folders } from './networks.ts';
import { mp4 } from './videos.ts';

const baseUrl = 'http://posthorn.test';
const redirectUri = `${baseUrl}/connect/callback`;
/** Longer than any machine takes. */
const answerWithinMs = 20_000;

export type SandboxNetworks = Awaited<ReturnType<typeof startSandboxNetworks>>;

/** All sandboxes on a free port, with a movable clock, and what an adapter needs to reach them. */
export const startSandboxNetworks = async ({
  hangsUp = false,
  delayMs,
  settings = {},
}: {
  /** Closes the connection of a request that would never be answered, so that nothing waits for a timeout. */
  hangsUp?: boolean;
  /** A delay before each request is handled. */
  delayMs?: () => number;
  settings?: Readonly<Record<string, string>>;
} = {}) => {
  let offsetMs = 0;
  const clock = { now: () => new Date(Date.now() + offsetMs) };
  const files = new Map<string, { mimeType: string; bytes: Buffer }>();
  const sandboxes = createSandboxes({
    folders,
    store: createMemorySandboxStore(),
    clock,
    baseUrl,
    fetchMedia: async (url) => files.get(url.replace(/\?.*/, '')),
    ...(hangsUp && { keepSilent: (res) => res.destroy() }),
  });
  const app = express().disable('x-powered-by');
  if (delayMs) app.use((_req, _res, next) => void setTimeout(next, delayMs()));
  const recorded: RecordedRequest[] = [];
  app.use(recordRequests(Object.keys(documented), recorded));
  app.use(sandboxes.router());
  const server = app.listen(0, '127.0.0.1');
  // Connections are never closed here: a request on one that was about to close would fail.
  server.keepAliveTimeout = 0;
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const outbound = createOutbound({ allow: [new URL(url).host], plainHttp: true });
  const request = createRequest(outbound, answerWithinMs);
  const sites = createSites({
    live: request,
    sandbox: { request, url: () => url, baseUrl: url },
    setting: (name) => settings[name],
    clock,
  });

  const media = async (file: NetworkMedia): Promise<PublishMedia> => {
    const bytes = await bytesOf(file);
    const address = `${baseUrl}/media/${file.id}-${createHash('sha256').update(bytes).digest('hex').slice(0, 8)}`;
    files.set(address, { mimeType: file.mimeType, bytes });
    return {
      ...file,
      bytes: bytes.length,
      url: address,
      read: async (range) => Readable.from([range ? bytes.subarray(range.first, range.last + 1) : bytes]),
    };
  };

  const withBytes = async (post: NetworkPost): Promise<NetworkPost<PublishMedia>> => ({
    options: post.options,
    ...(post.optionFiles && {
      optionFiles: Object.fromEntries(
        await Promise.all(
          Object.entries(post.optionFiles).map(async ([key, file]) => [key, await media(file)] as const),
        ),
      ),
    }),
    items: await Promise.all(
      post.items.map(async (item) => ({ body: item.body, media: await Promise.all(item.media.map(media)) })),
    ),
  });

  /** Connects an account as a person does; `without` are permissions they refuse. */
  const connect = async (network: Network, { handle = 'anna', without = [] as string[] } = {}) => {
    const { accounts, registration } = await signIn(sites, network, { handle, without, redirectUri });
    const account = accounts[0];
    if (account === undefined) throw new Error(`${network.key}: nothing to connect`);
    return {
      account,
      accounts,
      site: sites.sandbox(network, { server: account.server ?? '', registration }),
    };
  };

  return {
    url,
    clock,
    forward: (ms: number) => {
      offsetMs += ms;
    },
    sandboxes,
    /** What the documented sandboxes received and answered. */
    recorded,
    sites,
    connect,
    withBytes,

    /** The next part, as the service sends it. */
    sending: (
      network: Network,
      account: NetworkAccount,
      post: NetworkPost<PublishMedia>,
      out: readonly Sent[] = [],
    ): Sending => {
      const part = network.parts(post)[out.length];
      if (part === undefined) throw new Error('all parts are out');
      const now = clock.now();
      return { account, post, index: out.length, part, out, key: randomUUID(), firstTriedAt: now, since: now };
    },

    stop: async () => {
      server.closeAllConnections();
      server.close();
      await outbound.close();
    },
  };
};

const bytesByFile = new Map<string, Promise<Buffer>>();

/** Cached, because pictures take long to generate. */
const bytesOf = ({ id: _, ...file }: NetworkMedia): Promise<Buffer> => {
  const key = JSON.stringify(file);
  const bytes = bytesByFile.get(key) ?? makeBytes(file);
  bytesByFile.set(key, bytes);
  return bytes;
};

const makeBytes = async ({ mimeType, bytes, width, height, durationMs, kind }: Omit<NetworkMedia, 'id'>) => {
  if (kind === 'Video')
    return mp4({ width, height, durationMs: durationMs ?? 10_000, padding: Math.min(bytes, 2_500_000) });
  if (kind === 'Document') return Buffer.from('%PDF-1.7\n%%EOF\n');
  const image = sharp({ create: { width, height, channels: 3, background: '#8a4b08' } });
  const format = mimeType.replace('image/', '');
  return image.toFormat(format === 'gif' || format === 'png' || format === 'webp' ? format : 'jpeg').toBuffer();
};

export type Publisher = ReturnType<typeof createPublisher>;

/** Publishes all parts in order, moving the clock when the network says to wait. */
export const createPublisher = (sandbox: SandboxNetworks) => ({
  publish: async (network: Network, site: Site, account: NetworkAccount, written: NetworkPost<PublishMedia>) => {
    const post = await withLinkCards(network, site, written);
    const out: Sent[] = [];
    while (out.length < network.parts(post).length) {
      const sending = sandbox.sending(network, account, post, out);
      const prepared = await prepareFully(sandbox, network, site, sending);
      let end: Confirmation<unknown> = await network.send(site, sending, prepared);
      for (let turn = 0; end.is === 'waiting' && turn < 50; turn++) {
        sandbox.forward(end.forMs);
        end = await network.confirm(site, sending, end.prepared);
      }
      if (end.is !== 'sent') throw new Error(`part ${out.length} ended ${end.is}`);
      out.push(end.sent);
    }
    return out;
  },
});

/** Link cards as they are stored at approval. */
const withLinkCards = async ({ linkCards }: Network, site: Site, post: NetworkPost<PublishMedia>) => {
  const cards = (linkCards?.of(post) ?? []).map(
    async (uri) => (await linkCards?.read(site, uri)) ?? linkCards?.plain(uri) ?? [],
  );
  return { ...post, linkCards: (await Promise.all(cards)).flat() };
};

export const prepareFully = async (sandbox: SandboxNetworks, network: Network, site: Site, sending: Sending) => {
  let step = await network.prepare(site, sending);
  for (let turn = 0; step.is === 'waiting' && turn < 50; turn++) {
    sandbox.forward(step.forMs);
    step = await network.prepare(site, sending, step.prepared);
  }
  if (step.is !== 'ready') throw new Error('it was never ready');
  return step.prepared;
};
