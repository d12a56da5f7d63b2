import { openAudit } from '#server/access/audit/slice';
import { openAuth } from '#server/access/auth/slice';
import { openPlans } from '#server/access/plans/slice';
import type { Clock, MovableClock } from '#server/base/clock';
import type { Config } from '#server/base/config/config';
import { openLive } from '#server/base/live/slice';
import { createRegistry } from '#server/base/registry';
import type { Database } from '#server/base/store/database';

export type Access = ReturnType<typeof openAccess>;

/** Who may what, the registry that every slice joins, and what every room needs. */
export const openAccess = (base: {
  database: Database;
  config: Config;
  /** The service's clock, which the sandbox can move. */
  clock: MovableClock;
  /** For sessions, invitations and limits of people. The sandbox does not move it. */
  wallClock: Clock;
  report: (error: unknown) => void;
}) => {
  const { database, config, clock, wallClock, report } = base;
  const registry = createRegistry();
  const audit = registry.open('audit', openAudit({ database, config, clock }));
  const live = registry.open('live', openLive({ database, report }));
  const plans = registry.open('plans', openPlans({ database, clock }));
  const auth = registry.open(
    'auth',
    openAuth({ database, audit: audit.audit, live: live.live, config, clock, wallClock }),
  );
  return { ...base, registry, audit, live, plans, auth };
};
