import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createMemorySandboxStore } from '#server/simulation/sandbox/memory-records';
import { createSandboxes } from '#server/simulation/sandbox/sandboxes';
import type { SandboxRecord, SandboxStore } from '#server/simulation/sandbox/store';
import { sandboxes as folders, networks } from '#test/support/networks';
import type { WorldClock } from './clocks.ts';
import { readMarker } from './posts.ts';

/** Something that became public on a network, with times by the networks' clock. */
export interface Arrival {
  readonly network: string;
  readonly externalId: string;
  readonly text: string;
  /** The post and part of the soak; undefined when the text has no marker. */
  readonly marker: { readonly number: number; readonly part: string } | undefined;
  /** When the request reached the network, which may act on it later. */
  readonly requestedAtMs: number;
  readonly acceptedAtMs: number;
}

/** Tells the twin when the proxy received the request that it handles now. */
export const receivedHeader = 'x-soak-received';

export type Twins = Awaited<ReturnType<typeof startTwins>>;

/** The sandbox twins of all networks, with a record of everything that ever became public on them. */
export const startTwins = async ({
  clock,
  fetchMedia,
}: {
  clock: WorldClock;
  fetchMedia: (url: string) => Promise<{ mimeType: string; bytes: Buffer } | undefined>;
}) => {
  const arrivals: Arrival[] = [];
  const refusedTokens = new Set<string>();
  const publicIds = new Set<string>();
  /** The current request, for the store. */
  const request = new AsyncLocalStorage<{ receivedAtMs: number; hasPublished: boolean }>();

  const memory = createMemorySandboxStore();
  const witness = ({ network, kind, id, value }: SandboxRecord) => {
    // Some twins remove a post and add it again changed, which is not a second post.
    if (kind !== 'post' || publicIds.has(`${network} ${id}`)) return;
    publicIds.add(`${network} ${id}`);
    const { text } = value as { text: string };
    const current = request.getStore();
    if (current) current.hasPublished = true;
    arrivals.push({
      network,
      externalId: id,
      text,
      marker: readMarker(text),
      requestedAtMs: current?.receivedAtMs ?? clock.nowMs(),
      acceptedAtMs: clock.nowMs(),
    });
  };
  const store: SandboxStore = {
    ...memory,
    put: async (record) => {
      await memory.put(record);
      witness(record);
    },
    add: async (record) => {
      const isNew = await memory.add(record);
      if (isNew) witness(record);
      return isNew;
    },
  };

  const sandboxes = createSandboxes({ folders, store, clock, baseUrl: 'http://twins.invalid', fetchMedia });
  const app = express().disable('x-powered-by');
  app.use((req, res, next) => {
    const receivedAtMs = Number(req.headers[receivedHeader] ?? clock.nowMs());
    const current = { receivedAtMs, hasPublished: false };
    // Tells the proxy which requests publish.
    const writeHead = res.writeHead.bind(res) as (...head: unknown[]) => typeof res;
    res.writeHead = (...head: unknown[]) => {
      if (current.hasPublished) res.setHeader('x-soak-published', '1');
      return writeHead(...head);
    };
    request.run(current, next);
  });
  app.use(sandboxes.router());
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    networks: sandboxes.networks,
    holdMs: new Map(networks.map(({ key, network }) => [key, network.holdMs])),
    arrivals: arrivals as readonly Arrival[],
    /** Networks for which the soak planned the refusal of a token at some time. */
    refusedTokens: refusedTokens as ReadonlySet<string>,

    /**
     * Makes the network refuse its next publishing request, in its own format. False if a refusal is already planned.
     */
    planRefusal: async (network: string, fault: TwinFault) => {
      if (await sandboxes.plannedFault(network, 'publish')) return false;
      await sandboxes.planFault(network, 'publish', { fault, times: 1 });
      if (fault === 'expired-token') refusedTokens.add(network);
      return true;
    },

    clearRefusals: async () => {
      for (const network of sandboxes.networks) await sandboxes.planFault(network, 'publish', undefined);
    },

    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

/** Refusals that must come from the twin itself, in the network's error format. */
export const twinFaults = ['429', '429-bare', '503', 'expired-token', 'content-refused'] as const;
export type TwinFault = (typeof twinFaults)[number];
