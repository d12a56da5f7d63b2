import type { Access } from '#server/access/open';
import type { MeasureFreeBytes } from '#server/base/health/disk-space';
import type { Outbound } from '#server/base/outbound/guarded-client';
import type { Seal } from '#server/base/secrets/seal';
import { openMediaSweep } from './open-sweep.ts';
import { openMedia } from './slice.ts';

export type Media = ReturnType<typeof openMediaRoom>;

/** The library of pictures and videos. */
export const openMediaRoom = ({
  access: { registry, database, auth, live, config, clock, wallClock, report },
  outbound,
  seal,
  addressesMs,
  freeBytes,
}: {
  access: Access;
  outbound: Outbound;
  seal: Seal;
  addressesMs: number | undefined;
  freeBytes: MeasureFreeBytes;
}) => {
  const media = registry.open(
    'media',
    openMedia({
      database,
      outbound,
      live: live.live,
      seal,
      findRole: auth.roleWith,
      rights: auth.rights,
      config,
      clock,
      wallClock,
      addressesMs,
      freeBytes,
      report,
    }),
  );
  const sweep = registry.open('media/sweep', openMediaSweep({ database, config, clock, wallClock }));
  return { media, sweep };
};
