import express, { type RequestHandler, type Response, type Router } from 'express';
import type { Clock } from '#server/base/clock';
import type { Network } from '#server/networks/network';
import type { FaultMoment, Sandbox, SandboxKit, SandboxPost } from '#server/networks/sandbox';
import type { BodyReader } from './body-reader.ts';
import { lookOf } from './consent.ts';
import type { PlannedFault } from './faults.ts';
import { createKit, drawAvatar } from './kit.ts';
import type { SandboxStore } from './store.ts';

export type Sandboxes = ReturnType<typeof createSandboxes>;

/** The sandboxes of all networks, below `/sandbox/<key>`. */
export const createSandboxes = ({
  folders,
  networks = [],
  store,
  clock,
  baseUrl,
  fetchMedia,
  bodies,
  keepSilent,
}: {
  folders: Readonly<Record<string, Sandbox>>;
  /** For the consent pages, which otherwise show only keys and scopes. */
  networks?: readonly Network[];
  store: SandboxStore;
  clock: Clock;
  baseUrl: string;
  fetchMedia: SandboxKit['fetchMedia'];
  /** By default bodies of any size are read. */
  bodies?: BodyReader;
  /** Handles a request that is never answered; by default it stays open. */
  keepSilent?: (res: Response) => void;
}) => {
  const kits = new Map(
    Object.keys(folders).map((network) => [
      network,
      createKit({ network, look: lookOf(networks, network), store, clock, baseUrl, fetchMedia, bodies, keepSilent }),
    ]),
  );
  const faultsOf = (network: string) => {
    const kit = kits.get(network);
    if (kit === undefined) throw new Error(`There is no sandbox for ${network}.`);
    return kit.faults;
  };

  return {
    networks: Object.keys(folders),

    router: (): Router => {
      const router = express.Router();
      router.use('/sandbox', (_req, res, next) => {
        // By the sandbox clock, which may differ from the true time.
        res.setHeader('Date', clock.now().toUTCString());
        next();
      });
      // Large, because some networks take images as text. Only below /sandbox: other paths read their own bodies.
      router.use('/sandbox', express.json({ limit: '60mb' }), express.urlencoded({ extended: false, limit: '1mb' }));
      router.get('/sandbox/:network/avatars/:handle.svg', (req, res) => {
        res.setHeader('content-security-policy', "default-src 'none'");
        res.type('svg').send(drawAvatar(req.params.handle.slice(0, 100)));
      });
      for (const [network, kit] of kits) {
        const sandbox = folders[network];
        const catchUp: RequestHandler = (_req, _res, next) => void kit.catchUp().then(() => next(), next);
        if (sandbox) router.use(`/sandbox/${network}`, catchUp, sandbox(kit));
      }
      // Links to posts lead people to the sandbox page.
      router.get('/sandbox/:network/*path', (req, res, next) => {
        // A program that accepts anything is not a browser, and must learn that the twin has no such call.
        const isForPeople = req.accepts(['json', 'html']) === 'html';
        if (kits.has(req.params.network) && isForPeople) res.redirect(`/sandbox?network=${req.params.network}`);
        else next();
      });
      return router;
    },

    /** Undefined clears the fault. */
    planFault: (network: string, moment: FaultMoment, plan: PlannedFault | undefined) =>
      faultsOf(network).plan(moment, plan),

    plannedFault: (network: string, moment: FaultMoment) => faultsOf(network).planned(moment),

    /** As if its author had deleted it. */
    remove: async (network: string, id: string) => {
      await store.take(network, 'post', id);
    },

    /** Newest first, with metrics. */
    feed: async (network: string, limit: number) => {
      await kits.get(network)?.catchUp();
      const posts = (await store.newest(network, 'post', limit)) as unknown as SandboxPost[];
      return posts.map((post) => ({ ...post, numbers: kits.get(network)?.numbers(post) }));
    },
  };
};
