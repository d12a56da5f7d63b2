import express, { type Router } from 'express';
import type { Webhooks } from '#server/messaging/webhooks/webhooks';

/** The test receiver of webhooks. It stores nothing: the delivery log has what was sent, and its answer. */
export const testReceiverPath = ({ receive }: Pick<Webhooks, 'receive'>): Router =>
  express.Router().post('/sandbox/receiver/:id', express.raw({ type: () => true, limit: '1mb' }), async (req, res) => {
    const body = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
    const isAccepted = await receive(req.params.id, req.get('posthorn-signature') ?? '', body);
    res.status(isAccepted === undefined ? 404 : isAccepted ? 204 : 400).end();
  });
