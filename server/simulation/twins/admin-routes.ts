import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { z } from 'zod';
import { canonicalInstant, instantOf } from '#contracts/instant';
import { durationMs } from '#server/base/config/settings';
import { badInput, issuesOf, Refusal } from '#server/base/errors';
import { type Fault, faultMoments, faults } from '#server/networks/sandbox';
import { usableHandle } from '#server/simulation/sandbox/consent';
import { isLoopback } from './media-fetch.ts';
import type { Twins } from './twins.ts';

const longestStepMs = 366 * 86_400_000;

/** Below `/admin`, for tests: what arrived, faults, the clock, sign-ins, and a reset. */
export const adminRoutes = (twins: Twins): Router => {
  const { clock, networks, requests } = twins;
  const keys = networks.map(({ key }) => key);
  const Key = z.enum(keys as [string, ...string[]]);
  const Moment = z.enum(faultMoments);
  const ListQuery = z.strictObject({ network: Key.optional(), since: instant.optional() });
  const NewFault = z.strictObject({
    network: Key,
    moment: Moment.default('publish'),
    fault: z.enum(Object.keys(faults) as [Fault, ...Fault[]]),
    times: z.int().min(1).max(1_000_000).nullable().default(1),
  });
  const FaultQuery = z.strictObject({ network: Key.optional(), moment: Moment.optional() });
  const Step = z.strictObject({ forward: step });
  const SignIn = z.strictObject({
    network: Key,
    handle: z.string().regex(usableHandle, 'must be letters, digits, dots and dashes').default('demo'),
    without: z.array(z.string()).default([]),
  });
  const time = () => ({ now: instantOf(clock.now()), aheadMs: clock.aheadMs() });
  const plans = async () => ({ planned: await twins.planned() });

  const router = Router();
  // Parses every content type as JSON, so that `curl -d` needs no header.
  router.use(refuseOtherSites, express.json({ type: () => true, limit: '100kb' }));

  router.get('/', async (_req, res) => {
    const access = Object.fromEntries(twins.access.map(({ network, ...rest }) => [network, rest]));
    res.send({
      ...time(),
      keep: twins.keep,
      ...(await plans()),
      networks: networks.map(({ key, name, hosts }) => ({
        network: key,
        name,
        baseUrl: `${twins.url}/sandbox/${key}`,
        hosts: Object.fromEntries(
          Object.entries(hosts).map(([host, real]) => [real, `${twins.url}/sandbox/${key}/${host}`]),
        ),
        ...(Object.keys(twins.hostUrls).length > 0 && {
          hostPorts: Object.fromEntries(
            Object.entries(hosts).map(([host, real]) => [real, twins.hostUrls[`${key}/${host}`]]),
          ),
        }),
        ...access[key],
      })),
    });
  });

  router.get('/requests', (req, res) => {
    const { network, since: sinceMs } = parse(ListQuery, req.query);
    res.send({ requests: requests.list({ network, sinceMs }), dropped: requests.dropped() });
  });

  router.get('/posts', async (req, res) => {
    const { network, since: sinceMs } = parse(ListQuery, req.query);
    const posts = await twins.posts({ network, sinceMs });
    res.send({ posts: posts.map(({ author: _, authorName, ...post }) => ({ ...post, author: authorName })) });
  });

  router.get('/faults', async (_req, res) => {
    res.send({ ...(await plans()), possible: faults });
  });
  router.post('/faults', async (req, res) => {
    const { network, moment, fault, times } = parse(NewFault, req.body ?? {});
    await twins.plan(network, moment, { fault, times });
    res.send(await plans());
  });
  router.delete('/faults', async (req, res) => {
    await twins.revoke(parse(FaultQuery, req.query));
    res.send(await plans());
  });

  router.get('/clock', (_req, res) => void res.send(time()));
  router.post('/clock', (req, res) => {
    clock.forward(parse(Step, req.body ?? {}).forward);
    res.send(time());
  });

  router.post('/accounts', async (req, res) => {
    const { network: key, ...person } = parse(SignIn, req.body ?? {});
    const network = networks.find((one) => one.key === key);
    if (network) res.send(await twins.signIn(network, person));
  });

  router.post('/reset', (_req, res) => {
    twins.reset();
    res.send(time());
  });

  router.use((req: Request, _res: Response) => {
    throw new Refusal(
      'NotFound',
      `There is no ${req.method} /admin${req.path.slice(0, 200)}. docs/twins.md lists the calls.`,
    );
  });
  return router;
};

/** Otherwise any web page that a developer has open could reset the twins on their machine. */
const refuseOtherSites: RequestHandler = ({ headers: { origin, host = '' }, socket }, _res, next) => {
  // DNS rebinding: a foreign name that resolves to loopback is another site too.
  const isNamed = !isLoopback(hostname(host)) && isLoopback(socket.localAddress?.replace('::ffff:', '') ?? '');
  if (isNamed) {
    throw new Refusal('Forbidden', 'Use this API at localhost or 127.0.0.1: under another name it is closed.');
  }
  if (origin !== undefined && origin.replace(/^https?:\/\//, '') !== host) {
    throw new Refusal('Forbidden', 'Pages of other sites may not use this API.');
  }
  next();
};

/** `[::1]:4000` is `::1`. */
const hostname = (host: string) => host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');

const instant = z
  .string()
  .refine((text) => canonicalInstant(text) !== undefined, 'must be an instant such as 2026-11-15T09:30:00Z')
  .transform((text) => Date.parse(canonicalInstant(text) ?? ''));

const step = z
  .string()
  .transform((text) => durationMs(text) ?? 0)
  .refine((ms) => ms > 0 && ms <= longestStepMs, 'must be a number with s, m, h or d, such as 6h, and at most 366d');

const parse = <Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> => {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw badInput(...issuesOf(result.error, input));
};
