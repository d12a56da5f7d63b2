import { Router } from 'express';
import { googleSignIn } from '#server/networks/families/google/sandbox';
import type { Sandbox } from '#server/networks/sandbox';
import { createSignedIn, manage } from './sandbox-access.ts';
import { mountLocations } from './sandbox-locations.ts';
import { mountPhotos } from './sandbox-photos.ts';
import { mountNewPosts, mountReads } from './sandbox-posts.ts';

/** The Business Profile APIs as their references describe them: accounts and locations (v1), local posts and photos (v4). */
const sandbox: Sandbox = (kit) => {
  const router = Router();
  const signedIn = createSignedIn(kit);
  router.use(googleSignIn(kit, [manage]));
  mountLocations(router, signedIn);
  mountNewPosts(router, kit, signedIn);
  mountReads(router, kit, signedIn);
  mountPhotos(router, kit, signedIn);
  return router;
};

export default sandbox;
