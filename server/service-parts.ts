import type { Logger } from 'pino';
import type { Outbound } from '#server/outbound/guarded-client';
import type { Seal } from '#server/secrets/seal';
import type { Database } from '#server/store/database';
import type { AllowedWebhooks } from '#server/webhooks/plan-limit';
import type { Clock, MovableClock, Stopwatch } from './clock.ts';
import type { Config } from './config.ts';

/** What the process that runs the service gives it. */
export interface ServiceParts {
  readonly database: Database;
  readonly outbound: Outbound;
  readonly seal: Seal;
  readonly config: Config;
  readonly clock: MovableClock;
  /** People, their sessions and their limits go by it: the sandbox does not move it. */
  readonly wallClock?: Clock;
  /** Where this process listens, known once it does. */
  readonly ownUrl: () => string;
  readonly log: Logger;
  /** Instead of what the plan says. */
  readonly allowedWebhooks?: AllowedWebhooks;
  readonly webhookAnswerMs?: number;
  readonly startStopwatch?: () => Stopwatch;
}
