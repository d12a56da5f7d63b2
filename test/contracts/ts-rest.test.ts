import { createExpressEndpoints } from '@ts-rest/express';
import express, { type Express } from 'express';
import supertest from 'supertest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { actions } from '#generated/catalog';
import { rest } from '#generated/rest';
import { findAction, runNow } from '#server/agents/admission';
import { badInput, issuesOf, Refusal } from '#server/base/errors';
import { type Service, startService } from '#test/support/service';

/** Our own table serves the actions. ts-rest must answer the same from the generated contract and the same actions. */

let service: Service;
let app: Express;

beforeAll(async () => {
  service = await startService();
  const caller = { ...service.owner, role: 'owner' as const, mayPublish: false, isPerson: false };
  const run =
    (name: string) =>
    async ({ body }: { body: unknown }) => {
      try {
        const action = findAction(service.posthorn.actions, name);
        const { value } = await runNow(action, action.admit(body, caller));
        return { status: 200, body: value };
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return { status: error.status, body: error.body };
      }
    };
  app = express().use(express.json({ strict: false }));
  const implementation = Object.fromEntries(Object.keys(rest.actions).map((name) => [name, run(name)]));
  createExpressEndpoints(rest.actions, implementation as never, app, {
    logInitialization: false,
    responseValidation: true,
    requestValidationErrorHandler: ({ body }, req, res) => {
      const refusal = badInput(...issuesOf(body as never, req.body));
      res.status(refusal.status).json(refusal.body);
    },
  });
});
afterAll(() => service.stop());

/** Ids and times differ between two runs of a write. */
const steady = (value: unknown) =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/post_[0-9A-Z]{26}/g, 'post_…')
      .replaceAll(/"updatedAt":"[^"]+"/g, '"updatedAt":"…"')
      // Only a credential has an address to upload to.
      .replaceAll(/,"upload":\{[^}]+\}/g, ''),
  );

test.each(Object.entries(actions))('%s answers the same through ts-rest', async (name, { examples }) => {
  const { id } = await service.client.posts.create({ body: 'Hello' });
  const aimed = JSON.parse(JSON.stringify(examples[0]?.input).replaceAll(/post_[0-9A-Z]{26}/g, id));
  const { accountIds, accountId, baseUpdatedAt, ...input } = aimed;
  const inputs = [
    accountIds ? { ...input, accountIds: [] } : input,
    aimed,
    {},
    { ...aimed, surprise: 1 },
    { id: 'post_none' },
    { id: 7 },
    null,
    [],
  ];
  for (const body of inputs) {
    const ours = await service.call(name, body);
    const { status, body: answer } = await supertest(app)
      .post(`/api/agent/tools/${name}`)
      .type('json')
      .send(JSON.stringify(body));
    const theirs = { status, body: answer };
    expect(steady(theirs)).toEqual(steady({ status: ours.status, body: ours.body }));
  }
});
