import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { PublishingFigures } from '#server/publishing/figures';
import { createFiguresOfAll } from './figures-of-all.ts';

export type Figures = ReturnType<typeof createFigures>;

/** Numbers for operators, in the text form that Prometheus reads. */
export const createFigures = () => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const lateness = new Histogram({
    name: 'posthorn_publish_lateness_seconds',
    help: 'From the moment a post was due to the call that makes it public',
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600],
    registers,
  });
  const underWay = new Gauge({
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
  const publishing: PublishingFigures = {
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
    inFlight: (network, count) => underWay.set({ network }, count),
    ended: (network, { ok, error }) => ends.inc({ network, result: ok ? 'ok' : (error?.code ?? 'failed') }),
  };
  return {
    publishing,

    text: createFiguresOfAll(registry),
    contentType: registry.contentType,
  };
};
