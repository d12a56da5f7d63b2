import type { Logger } from 'pino';
import { type Clock, type MovableClock, systemClock } from '#server/base/clock';
import type { Config } from '#server/base/config/config';
import { createReport } from '#server/base/logging/report';
import type { Outbound } from '#server/base/outbound/guarded-client';
import type { Seal } from '#server/base/secrets/seal';
import type { Database } from '#server/base/store/database';
import { wireCore } from '#server/wiring/core';
import { createPosthorn, type ServiceParts } from '#server/wiring/service';

export type TestOverrides = Pick<
  ServiceParts,
  'allowedWebhooks' | 'webhookAnswerMs' | 'addressesMs' | 'freeBytes' | 'startStopwatch'
>;

/** All rules on a database of the test, as `posthorn start` opens them. */
export const openPosthorn = (
  {
    database,
    outbound,
    seal,
    config,
    clock,
    wallClock = systemClock,
    ownUrl,
    log,
  }: {
    database: Database;
    outbound: Outbound;
    seal: Seal;
    config: Config;
    clock: MovableClock;
    wallClock?: Clock;
    ownUrl: () => string;
    log: Logger;
  },
  overrides: TestOverrides = {},
) => {
  const report = createReport(log, 'work in the background failed');
  const core = wireCore({ database, config, clock, wallClock, report });
  return { ...createPosthorn({ core, outbound, seal, ownUrl, log, ...overrides }), registry: core.registry };
};
