import { z } from 'zod';
import { type RawRoute, type Route, rawRoute, route } from './define.ts';

export const healthRoutes = {
  alive: route({
    method: 'GET',
    path: '/healthz',
    tag: 'Health',
    summary: 'Check that the process runs',
    description: 'Answers the text `ok` while the process runs.',
    access: 'Open',
    responses: { 200: { description: 'It is running', contentType: 'text/plain', body: z.literal('ok') } },
    errors: ['BadInput'],
  }),

  ready: route({
    method: 'GET',
    path: '/readyz',
    tag: 'Health',
    summary: 'Check that it is ready',
    description: 'Answers 200 only when the database responds and the instance is not shutting down.',
    access: 'Open',
    responses: {
      200: { description: 'It is ready', contentType: 'text/plain', body: z.literal('ready') },
      503: { description: 'It is not ready; the text says why', contentType: 'text/plain', body: z.string() },
    },
    errors: ['BadInput'],
  }),
} as const satisfies Record<string, Route>;
export type HealthRoutes = typeof healthRoutes;

export const healthPaths = {
  securityText: rawRoute({
    methods: ['GET'],
    path: '/.well-known/security.txt',
    access: 'Open',
    handler: 'Own',
    description: 'Whom to tell about a security flaw (RFC 9116).',
  }),

  metrics: rawRoute({
    methods: ['GET'],
    path: '/metrics',
    access: 'Operator',
    handler: 'Own',
    description: 'Metrics for Prometheus.',
  }),
} as const satisfies Record<string, RawRoute>;
