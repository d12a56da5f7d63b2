import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { Refusal } from '#server/base/errors';
import { isSameSecret } from '#server/base/secrets/is-same-secret';
import type { ServiceMetrics } from '#server/operation/metrics/metrics';

/** Metrics for Prometheus, which sends ADMIN_TOKEN. */
export const metricsPage =
  ({ metrics }: { metrics: ServiceMetrics }): RequestHandler<Record<string, string>> =>
  async (_req, res) => {
    res.type(metrics.contentType).send(await metrics.text());
  };

export const createOperatorCheck =
  ({ adminToken }: { adminToken: string | undefined }) =>
  (req: IncomingMessage) => {
    if (adminToken === undefined) {
      throw new Refusal(
        'Forbidden',
        'Metrics are switched off. Set ADMIN_TOKEN on the server, then send it as bearer token.',
      );
    }
    const token = /^Bearer (.+)$/.exec(req.headers.authorization ?? '')?.[1] ?? '';
    if (!isSameSecret(token, adminToken))
      throw new Refusal('Unauthorized', 'Send the ADMIN_TOKEN of this server as bearer token.');
  };
