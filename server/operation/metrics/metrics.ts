import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { packageVersion } from '#server/base/config/config';
import { measureClockSkewMs } from '#server/base/store/clock-skew';
import type { Database } from '#server/base/store/database';
import type { PublishingMetrics } from '#server/delivery/publishing/metrics';
import type { ReadMetrics } from '#server/delivery/statistics/metrics';
import type { MessageMetrics } from '#server/messaging/messages/metrics';
import type { DeliveryMetrics } from '#server/messaging/webhooks/metrics';
import { createClusterMetrics } from './cluster-metrics.ts';

export type ServiceMetrics = ReturnType<typeof createMetrics>;

export interface HttpMetrics {
  /** `door` has few values, as a label must. `ms` is undefined for a stream, whose duration says nothing. */
  answered(door: string, status: string, ms: number | undefined): void;
}

/** Read at every scrape. */
interface MetricSources {
  readonly jobs: {
    agesMs(): Promise<ReadonlyMap<string, number>>;
    inFlight(): ReadonlyMap<string, number>;
    idleMs(): number;
  };
  readonly database: Pick<Database, 'pools' | 'query'>;
  readonly live: { subscriberCount(): number };
}

/** Metrics for operators, in the text format of Prometheus. */
export const createMetrics = ({ report }: { report: (error: unknown) => void }) => {
  const registry = new Registry();
  // Event loop, memory, garbage collection, file descriptors. Every 10 ms, as is the default, would take a third of what
  // the service takes at rest.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  const registers = [registry];
  new Gauge({
    name: 'posthorn_build_info',
    help: 'Always 1',
    labelNames: ['version'],
    aggregator: 'max',
    registers,
  }).set({ version: packageVersion }, 1);
  return {
    http: httpMetrics(registers),
    publishing: publishingMetrics(registers),
    deliveries: deliveryMetrics(registers),
    reads: readMetrics(registers),
    messages: messageMetrics(registers),
    watchBackups: (ageSeconds: () => Promise<number>) => watchBackups(registers, ageSeconds),
    watch: (sources: MetricSources) => watch(registers, sources),

    text: createClusterMetrics(registry, report),
    contentType: registry.contentType,
  };
};

const watchBackups = (registers: Registry[], ageSeconds: () => Promise<number>) => {
  new Gauge({
    name: 'posthorn_backup_age_seconds',
    help: 'Age of the newest backup that the service made and restored in a test; since its first start when there is none; 0 when BACKUP_AT is off',
    // Every process reads the same backups.
    aggregator: 'max',
    registers,
    async collect() {
      this.set(await ageSeconds());
    },
  });
};

const httpMetrics = (registers: Registry[]): HttpMetrics => {
  const requests = new Counter({
    name: 'posthorn_http_requests_total',
    help: 'Requests that were answered, by door and status; "cut" when the client went away first',
    labelNames: ['door', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'posthorn_http_request_seconds',
    help: 'From the first byte of a request to the end of its answer, by door; streams are left out',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    labelNames: ['door'],
    registers,
  });
  // Looking up the child of a label costs more than counting.
  const counters = memoize((key: string) => {
    const [door = '', status = ''] = key.split(' ');
    return requests.labels(door, status);
  });
  const histograms = memoize((door: string) => durations.labels(door));
  return {
    answered: (door, status, ms) => {
      counters(`${door} ${status}`).inc();
      if (ms !== undefined) histograms(door).observe(ms / 1000);
    },
  };
};

const memoize = <T>(make: (key: string) => T) => {
  const cache = new Map<string, T>();
  return (key: string) => {
    const value = cache.get(key) ?? make(key);
    cache.set(key, value);
    return value;
  };
};

const publishingMetrics = (registers: Registry[]): PublishingMetrics => {
  const lateness = new Histogram({
    name: 'posthorn_publish_lateness_seconds',
    help: 'From the moment a post was due to the call that makes it public',
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600],
    registers,
  });
  const inFlight = new Gauge({
    name: 'posthorn_sends_in_flight',
    help: 'Sends under way on this instance',
    labelNames: ['network'],
    registers,
  });
  const ends = new Counter({
    name: 'posthorn_sends_total',
    help: 'Sends that ended, by network and how: ok, or the code of the failure',
    labelNames: ['network', 'result'],
    registers,
  });
  return {
    watchOverdue: (count) => {
      new Gauge({
        name: 'posthorn_posts_overdue',
        help: 'Scheduled posts whose time passed more than a minute ago: above 0, nothing publishes',
        // Every process counts the same posts.
        aggregator: 'max',
        registers,
        async collect() {
          this.set(await count());
        },
      });
    },
    late: (ms) => lateness.observe(ms / 1000),
    inFlight: (network, count) => inFlight.set({ network }, count),
    ended: (network, { ok, error }) => ends.inc({ network, result: ok ? 'ok' : (error?.code ?? 'failed') }),
  };
};

const deliveryMetrics = (registers: Registry[]): DeliveryMetrics => {
  const tries = new Counter({
    name: 'posthorn_delivery_tries_total',
    help: 'Tries to deliver a webhook: ok, failed (tried again unless it was the last) or givenUp',
    labelNames: ['result'],
    registers,
  });
  return { tried: (result) => tries.inc({ result }) };
};

const readMetrics = (registers: Registry[]): ReadMetrics => {
  const reads = new Counter({
    name: 'posthorn_reads_total',
    help: 'Statistics of a post read, by network: ok, postponed (asked again later) or stopped (wants a reconnect)',
    labelNames: ['network', 'result'],
    registers,
  });
  return { read: (network, result, posts) => reads.inc({ network, result }, posts) };
};

const messageMetrics = (registers: Registry[]): MessageMetrics => {
  const tries = new Counter({
    name: 'posthorn_message_tries_total',
    help: 'Tries to send a mail or push message: sent, failed or refused',
    labelNames: ['channel', 'result'],
    registers,
  });
  return { tried: (channel, result) => tries.inc({ channel, result }) };
};

const watch = (registers: Registry[], { jobs, database, live }: MetricSources) => {
  // Collected before the metrics that query the database, which would count themselves as waiting.
  new Gauge({
    name: 'posthorn_database_connections',
    help: 'Connections of this instance by pool and state; "waiting" are callers that wait for one, "most" is the limit',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, states] of Object.entries(database.pools())) {
        for (const [state, count] of Object.entries(states)) this.set({ pool, state }, count);
      }
    },
  });
  new Gauge({
    name: 'posthorn_queue_age_seconds',
    help: 'How long the oldest work of a kind has been due without being taken up; the same on every instance',
    labelNames: ['kind'],
    // Every process reads the same queues.
    aggregator: 'max',
    registers,
    async collect() {
      for (const [kind, ms] of await jobs.agesMs()) this.set({ kind }, ms / 1000);
    },
  });
  new Gauge({
    name: 'posthorn_work_in_flight',
    help: 'Due work under way on this instance',
    labelNames: ['kind'],
    registers,
    collect() {
      for (const [kind, count] of jobs.inFlight()) this.set({ kind }, count);
    },
  });
  new Gauge({
    name: 'posthorn_scheduler_idle_seconds',
    help: 'How long the slowest loop has not reached the database; /readyz fails at 45',
    aggregator: 'max',
    registers,
    collect() {
      this.set(jobs.idleMs() / 1000);
    },
  });
  new Gauge({
    name: 'posthorn_clock_skew_seconds',
    help: 'Clock of the database minus clock of this machine: above 5 or below -5, synchronise them',
    // Processes of one start share a clock.
    aggregator: 'average',
    registers,
    async collect() {
      this.set((await measureClockSkewMs(database)) / 1000);
    },
  });
  new Gauge({
    name: 'posthorn_streams_open',
    help: 'Open tabs that hear live events from this instance',
    registers,
    collect() {
      this.set(live.subscriberCount());
    },
  });
};
