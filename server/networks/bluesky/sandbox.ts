import { Router } from 'express';
import type { Sandbox } from '#server/networks/sandbox';
import { createAccess } from './sandbox-access.ts';
import { mountBlobs, mountVideos } from './sandbox-blobs.ts';
import { mountCards } from './sandbox-cards.ts';
import { mountReads, mountWrites } from './sandbox-posts.ts';
import { mountPeople, mountSessions } from './sandbox-sessions.ts';

/** An AT Protocol server with Bluesky behind it, the video service, and the one that reads pages for link cards. */
const sandbox: Sandbox = (kit) => {
  const router = Router();
  const xrpc = Router();
  const video = Router();
  const access = createAccess(kit);
  router.use('/pds/xrpc', xrpc);
  router.use('/video/xrpc', video);
  mountSessions(xrpc, kit, access);
  mountPeople(xrpc, kit, access);
  mountBlobs(xrpc, kit, access);
  mountVideos(video, kit, access);
  mountCards(router, kit);
  mountWrites(xrpc, kit, access);
  mountReads(xrpc, kit, access);
  return router;
};

export default sandbox;
