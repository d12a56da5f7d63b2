import { createHash } from 'node:crypto';
import type { Address } from '#test/support/receiver';
import { readBooks } from './books.ts';
import { createFaults, type Faults, type FaultWeights } from './faults.ts';
import { countSends, type Evidence, findProblems, type Problem } from './find-problems.ts';
import { sampleGrowth } from './growth.ts';
import { createLedger, isAcknowledged, type Ledger, type LedgerPost } from './ledger.ts';
import { createLoad, type Load } from './load.ts';
import { runPlanLoad } from './plan-load.ts';
import { createStreams, type Random, type Streams } from './random.ts';
import type { Summary } from './report.ts';
import { createSecondLook } from './second-look.ts';
import { settle } from './settle.ts';
import { buildWorld, type World } from './world.ts';

export interface SoakOptions {
  readonly minutes: number;
  readonly faultsPerMinute: number;
  readonly postsPerMinute: number;
  /** The minimum share of published sends. */
  readonly floor: number;
  readonly seed: string;
  /** Relative frequency of each fault. */
  readonly weights: FaultWeights;
  readonly say: (text: string) => void;
}

/** An upper bound for clock skew during a run, see faults.ts. */
const maxSkewMs = 900_000;

export const runSoak = async (options: SoakOptions): Promise<Summary> => {
  const { seed, say } = options;
  say(`seed ${seed}`);
  const world = await buildWorld(createStreams(seed));
  try {
    return await runIn(world, options);
  } finally {
    await world.close();
  }
};

const runIn = async (world: World, options: SoakOptions): Promise<Summary> => {
  const { twins, clock, accounts, callers } = world;
  const { seed, weights, say } = options;
  const streams = createStreams(seed);
  const ledger = createLedger(clock);
  const load = await createLoad({ callers, ledger, streams, accounts });
  const parts: Parts = {
    streams,
    ledger,
    load,
    secondLook: createSecondLook({ ...callers, ledger, clock, streams, publish: load.publish }),
    hook: await addWebhook(world, streams('receiver')),
    faults: await createFaults({ ...world, streams, weights, holdMs: twins.holdMs }),
    growth: sampleGrowth({
      db: world.db,
      folder: world.dataFolder,
      pids: world.instances.pids,
      killed: world.instances.starts,
    }),
  };
  for (const [kind, networks] of Object.entries(load.takers)) say(`${kind}: ${networks.join(', ')}`);
  await runStorm(world, parts, options);
  say('letting everything end …');
  await letEverythingEnd(world, parts, say);
  say('comparing the ledger with what arrived …');
  const evidence = await collectEvidence(world, parts, options);
  const problems = [
    ...findProblems(evidence),
    ...(await changedUploads(world, ledger.uploads)),
    ...[...world.instances.problems, ...(await parts.growth.check())].map((what) => ({
      kind: 'process' as const,
      what,
    })),
  ];
  for (const [why, times] of ledger.troubles) say(`gave up ${times} times: ${why}`);
  return summarise(world, parts, evidence, problems, options);
};

interface Parts {
  readonly streams: Streams;
  readonly ledger: Ledger;
  readonly load: Load;
  readonly secondLook: ReturnType<typeof createSecondLook>;
  readonly hook: Address;
  readonly faults: Faults;
  readonly growth: ReturnType<typeof sampleGrowth>;
}

const runStorm = async (
  { twins, plan }: World,
  { streams, ledger, load, secondLook, faults }: Parts,
  { minutes, faultsPerMinute, postsPerMinute, say }: SoakOptions,
) => {
  const forMs = minutes * 60_000;
  const startedMs = performance.now();
  const isOver = () => performance.now() - startedMs > forMs;
  say(`clocks off by ${JSON.stringify(await faults.skewClocks())} ms`);
  const progress = setInterval(() => {
    const leftS = Math.max(0, Math.round((forMs - (performance.now() - startedMs)) / 1000));
    const { size } = ledger.posts;
    say(`${leftS} s left · ${size} posts · ${twins.arrivals.length} arrivals · ${faults.total()} faults`);
  }, 10_000);
  await Promise.all([
    load.run(postsPerMinute, isOver),
    secondLook.run(isOver),
    runPlanLoad({ ...plan, ledger, random: streams('plan'), isOver }),
    faults.run(faultsPerMinute, isOver),
  ]);
  clearInterval(progress);
};

const letEverythingEnd = async (
  { db, databaseClock, networkProxy, instances, plan }: World,
  { faults, growth, secondLook }: Parts,
  say: SoakOptions['say'],
) => {
  const settleAll = () => settle({ db, databaseClock, networkProxy, planWorkspaceId: plan.workspaceId, say });
  await faults.calm();
  await growth.settle();
  // Impatient people publish again while late networks still hold requests; the others after everything has settled.
  await secondLook.lookOnce('impatient');
  await settleAll();
  for (let round = 0; round < 3 && (await secondLook.lookOnce('everyone')) > 0; round++) await settleAll();
  // Partial uploads of killed processes are removed at the next start, three hours later.
  await databaseClock.forwardAll(4 * 3_600_000);
  await Promise.all(instances.all.map(instances.restart));
  await settleAll();
};

const collectEvidence = async (
  { db, twins, instances, accounts, plan }: World,
  { ledger, hook }: Parts,
  { weights, floor }: SoakOptions,
): Promise<Evidence> => ({
  posts: [...ledger.posts.values()],
  cards: ledger.cards,
  uploads: ledger.uploads,
  plan: ledger.plan,
  planLimit: plan.limit,
  accounts,
  arrivals: twins.arrivals,
  refusedTokens: twins.refusedTokens,
  books: await readBooks(db, plan.workspaceId),
  delivered: new Set(hook.received().map(({ event }) => event.id as string)),
  outages: instances.outages,
  maxSkewMs: Object.keys(weights).some((kind) => kind.startsWith('clock ')) ? maxSkewMs : 2_000,
  floor,
});

const summarise = (
  { instances }: World,
  { ledger, faults, secondLook, hook }: Parts,
  evidence: Evidence,
  problems: readonly Problem[],
  { seed, minutes }: SoakOptions,
): Summary => {
  const { sends, published, settled, cannotBeAsked, needsHumanThere, needsHuman } = countSends(evidence);
  const acknowledged = evidence.posts.filter(isAcknowledged);
  const partsOf = ({ plan: { networks, parts } }: LedgerPost) => networks.length * parts.length;
  return {
    seeds: [seed],
    minutes,
    faults: faults.counts(),
    figures: {
      posts: acknowledged.length,
      sends,
      parts: acknowledged.reduce((sum, post) => sum + partsOf(post), 0),
      published,
      arrivals: evidence.arrivals.length,
      'settled by themselves': settled,
      'sends that cannot be asked about': cannotBeAsked,
      'of them need a human': needsHumanThere,
      'published again': secondLook.figures(),
      events: evidence.books.events.length,
      deliveries: hook.received().length,
      cards: ledger.cards.length,
      'cards pressed twice': evidence.posts.filter(({ plan: { way } }) => way === 'approve-twice').length,
      uploads: ledger.uploads.size,
      'scheduled within a plan': ledger.plan.scheduled,
      'refused by a plan': ledger.plan.refused,
      'starts of a process': instances.starts(),
      'starts given up': instances.startsGivenUp(),
      'callers that gave up': [...ledger.troubles.values()].reduce((sum, times) => sum + times, 0),
    },
    needsHuman,
    problems,
    timeline: faults.timeline,
  };
};

/** A receiver that refuses some deliveries and does not answer others, so that they are retried. */
const addWebhook = async ({ receiver, callers }: World, random: Random) => {
  const hook = receiver.address((res) => {
    if (random.chance(0.03)) res.destroy();
    else res.writeHead(random.chance(0.08) ? 500 : 204).end();
  });
  const body = { url: hook.url, events: ['post.published', 'post.failed'] };
  const { status } = await callers.person.click('/api/webhooks', body);
  if (status !== 200) throw new Error(`the webhook was refused: ${status}`);
  return hook;
};

/** Files whose bytes are no longer those that were acknowledged. */
const changedUploads = async ({ callers }: World, uploads: ReadonlyMap<string, string>): Promise<Problem[]> => {
  const problems: Problem[] = [];
  for await (const { id, url, mimeType } of callers.client.media.listAll({ limit: 100 })) {
    const expected = uploads.get(id);
    if (expected === undefined) continue;
    const answer = await fetch(url);
    const sha256 = createHash('sha256')
      .update(Buffer.from(await answer.arrayBuffer()))
      .digest('hex');
    if (answer.status !== 200 || sha256 !== expected) {
      problems.push({ kind: 'upload', what: `${id} (${mimeType}) answers ${answer.status} with other bytes` });
    }
  }
  return problems;
};
