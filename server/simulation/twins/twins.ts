import type { RequestHandler } from 'express';
import { createMovableClock } from '#server/base/clock';
import { badInput } from '#server/base/errors';
import { createSandboxClient } from '#server/base/outbound/sandbox-client';
import type { Network } from '#server/networks/network';
import { createRequest } from '#server/networks/request';
import { type FaultMoment, faultMoments, type Sandbox, type SandboxKit } from '#server/networks/sandbox';
import { createSites, type Sites } from '#server/networks/sites';
import { NetworkTrouble } from '#server/networks/trouble';
import { createBodyReader } from '#server/simulation/sandbox/body-reader';
import type { PlannedFault } from '#server/simulation/sandbox/faults';
import { createMemorySandboxStore, type MemorySandboxStore } from '#server/simulation/sandbox/memory-records';
import { createSandboxes } from '#server/simulation/sandbox/sandboxes';
import { type SandboxAccess, signIn, withSandboxServer } from '#server/simulation/sandbox/sign-up';
import { createRequestLog, type Filter } from './request-log.ts';

/** For all records of one kind on one network. */
const maxCharacters = 4_000_000;
/** For all uploads in progress together. A twin looks at a file and does not store it. */
const maxUploadBytes = 512_000_000;
const answerWithinMs = 20_000;

export type Twins = Awaited<ReturnType<typeof createTwins>>;

/** The sandboxes of all networks on a store in memory, with one account signed in at each. */
export const createTwins = async ({
  folders,
  networks,
  url,
  hostUrls,
  handle,
  keep,
  fetchMedia,
}: {
  folders: Readonly<Record<string, Sandbox>>;
  networks: readonly Network[];
  /** The URL at which people see the twins. */
  url: string;
  /** By `network/host`: the URL of the port that serves only this host. */
  hostUrls: Readonly<Record<string, string>>;
  handle: string;
  /** How many requests to keep, and how many records of one kind on one network. */
  keep: number;
  fetchMedia: SandboxKit['fetchMedia'];
}) => {
  const clock = createMovableClock();
  const bodies = createBodyReader(maxUploadBytes);
  const requests = createRequestLog({ networks: Object.keys(folders), clock, keep });

  const open = (initial?: ReturnType<MemorySandboxStore['snapshot']>) => {
    const store = createMemorySandboxStore({ maxRecords: keep, maxCharacters }, initial);
    const sandboxes = createSandboxes({ folders, networks, store, clock, baseUrl: url, fetchMedia, bodies });
    return { store, sandboxes, router: sandboxes.router() };
  };
  let current = open();

  /** Uses a port of its own, so that the log has only the requests of callers. */
  const withSites = <T>(work: (sites: Sites) => Promise<T>) =>
    withSandboxServer(current.sandboxes, async (own) => {
      const client = createSandboxClient(() => own);
      const request = createRequest(client, answerWithinMs);
      const sandbox = { request, url: () => own, baseUrl: own };
      try {
        return await work(createSites({ live: request, sandbox, setting: () => undefined, clock }));
      } finally {
        await client.close();
      }
    });
  const redirectUri = `${url}/callback`;
  const accessAt = async (sites: Sites, network: Network, name: string, without: readonly string[] = []) =>
    accessOf(network, await signIn(sites, network, { handle: name, without, redirectUri }));

  const first = await withSites(async (sites) => {
    const all: TwinAccess[] = [];
    for (const network of networks) all.push(await accessAt(sites, network, handle));
    return all;
  });
  const initial = current.store.snapshot();

  const planned = async () => {
    const plans = networks.flatMap(({ key }) =>
      faultMoments.map(async (moment) => ({
        network: key,
        moment,
        plan: await current.sandboxes.plannedFault(key, moment),
      })),
    );
    return (await Promise.all(plans)).flatMap(({ plan, ...at }) => (plan ? [{ ...at, ...plan }] : []));
  };

  return {
    url,
    hostUrls,
    keep,
    networks,
    requests,
    clock: { now: clock.now, aheadMs: clock.offsetMs, forward: (ms: number) => clock.setOffset(clock.offsetMs() + ms) },
    router: ((req, res, next) => current.router(req, res, next)) satisfies RequestHandler,

    /** The tokens of the start, which work again after a reset. */
    access: first,

    signIn: (network: Network, { handle: name, without }: { handle: string; without: readonly string[] }) =>
      withSites((sites) => accessAt(sites, network, name, without)).catch((error: unknown) => {
        if (!(error instanceof NetworkTrouble)) throw error;
        throw badInput({ path: 'handle', code: 'Invalid', message: `was refused by the twin: ${error.message}` });
      }),

    planned,
    plan: (network: string, moment: FaultMoment, plan: PlannedFault) =>
      current.sandboxes.planFault(network, moment, plan),
    /** Clears every planned fault that matches. */
    revoke: async ({ network, moment }: { network?: string | undefined; moment?: FaultMoment | undefined }) => {
      for (const plan of await planned()) {
        const isMeant = plan.network === (network ?? plan.network) && plan.moment === (moment ?? plan.moment);
        if (isMeant) await current.sandboxes.planFault(plan.network, plan.moment, undefined);
      }
    },

    /** Newest first. */
    posts: async ({ network, sinceMs = 0 }: Filter) => {
      const keys = networks.map(({ key }) => key).filter((key) => key === (network ?? key));
      const feeds = keys.map(async (key) =>
        (await current.sandboxes.feed(key, keep)).map((post) => ({ network: key, ...post })),
      );
      return (await Promise.all(feeds))
        .flat()
        .filter(({ createdAt }) => Date.parse(createdAt) >= sinceMs)
        .sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
    },

    /**
     * Restores the state after the start: drops later records, faults and other sign-ins, and resets the clock to the
     * true time.
     */
    reset: () => {
      clock.setOffset(0);
      requests.clear();
      current = open(initial);
    },
  };
};

export type TwinAccess = ReturnType<typeof accessOf>;

const accessOf = ({ key, connect }: Network, { registration, accounts }: SandboxAccess) => ({
  network: key,
  // A network where people sign in with a password has no app registration.
  ...(connect.kind !== 'Form' && registration),
  accounts: accounts.map(({ id, name, handle, scopes, tokens: { accessToken, refreshToken, expiresAt } }) => ({
    id,
    name,
    handle,
    scopes,
    accessToken,
    ...(refreshToken !== undefined && { refreshToken }),
    ...(expiresAt !== undefined && { expiresAt }),
  })),
});
