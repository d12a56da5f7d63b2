import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import type { Posthorn } from '#packages/sdk/src/index';
import { mp4 } from '#test/support/videos';
import type { Agent, Clicked, Person } from './callers.ts';
import { GaveUp } from './callers.ts';
import type { Ledger, LedgerCard, LedgerPost } from './ledger.ts';
import { type Kind, kinds, type PlannedPost, planPost, shapePost } from './posts.ts';
import type { Streams } from './random.ts';

/** Concurrent jobs; more would only wait for each other. */
const maxJobs = 60;
const smallestVideoBytes = 100_000;
const videoSize = { width: 1080, height: 1920, durationMs: 15_000 };

export interface Callers {
  readonly client: Posthorn;
  readonly person: Person;
  readonly agent: Agent;
}

export interface LoadOptions {
  readonly callers: Callers;
  readonly ledger: Ledger;
  readonly streams: Streams;
  /** Account ids by network. */
  readonly accounts: ReadonlyMap<string, string>;
}

export type Load = Awaited<ReturnType<typeof createLoad>>;

/** Creates posts of all kinds at a steady rate, and publishes each as a person would. */
export const createLoad = async ({ callers, ledger, streams, accounts }: LoadOptions) => {
  const { client, person, agent } = callers;

  const uploadPicture = async (number: number) => {
    const random = streams(`picture ${number}`);
    const background = { r: random.between(0, 255), g: random.between(0, 255), b: random.between(0, 255) };
    const bytes = await sharp({ create: { width: 1400, height: 1400, channels: 3, background } })
      .jpeg()
      .toBuffer();
    return upload(bytes, `soak-${number}.jpg`);
  };
  const uploadVideo = (number: number) =>
    upload(mp4({ ...videoSize, padding: smallestVideoBytes + (number % 1_000) }), `soak-${number}.mp4`);
  const upload = async (bytes: Buffer, filename: string) => {
    const { id } = await client.media.upload(new Blob([new Uint8Array(bytes)]), { filename, alt: 'A plain colour' });
    ledger.uploaded(id, createHash('sha256').update(bytes).digest('hex'));
    return id;
  };

  const mediaFor = async ({ kind, number, networks }: PlannedPost) => {
    if (kind === 'text' || kind === 'thread') return [];
    const needsVideo = kind === 'video' || networks.some((network) => takesOnlyVideos.has(network));
    return [await (needsVideo ? uploadVideo(number) : uploadPicture(number))];
  };

  const write = async (plan: PlannedPost, media: readonly string[]) => {
    const accountIds = plan.networks.flatMap((network) => accounts.get(network) ?? []);
    const { id } = await client.posts.create({ accountIds, body: plan.bodies[0] ?? '' });
    const content = plan.bodies.map((body, index) => ({ body, media: index === 0 ? [...media] : [] }));
    const isPlain = content.length === 1 && media.length === 0 && Object.keys(plan.options).length === 0;
    if (!isPlain) await client.posts.update({ id, accountIds, versions: [{ content, options: plan.options }] });
    return id;
  };

  const takesOnlyVideos = new Set<string>();

  /** Asks the service which networks accept which kind of post. */
  const findTakers = async () => {
    const takers = Object.fromEntries(kinds.map((kind) => [kind, [] as string[]])) as Record<Kind, string[]>;
    const [picture, video] = [await uploadPicture(0), await uploadVideo(0)];
    const takes = async (network: string, kind: Kind, ...media: string[]) => {
      const plan = shapePost({ number: 0, kind, way: 'draft', networks: [network], items: 2, aheadMs: 0 });
      try {
        await client.posts.validate({ id: await write(plan, media) });
        takers[kind].push(network);
        return true;
      } catch {
        return false;
      }
    };
    for (const network of accounts.keys()) {
      await takes(network, 'text');
      await takes(network, 'thread');
      await takes(network, 'video', video);
      const takesPictures = await takes(network, 'picture', picture);
      if (!takesPictures) takesOnlyVideos.add(network);
      await takes(network, 'comment', takesPictures ? picture : video);
    }
    for (const kind of kinds) if (takers[kind].length === 0) throw new Error(`No network accepts a ${kind}.`);
    return takers;
  };
  const takers = await findTakers();

  const pressing = (post: LedgerPost) => ({
    begin: () => {
      const press = ledger.press(post);
      return (end: 'taken' | 'refused' | 'lost') => {
        press.end = end;
      };
    },
  });

  /** After unanswered attempts a Conflict means that one of them worked, unless an earlier one was acknowledged. */
  const settlePress = (post: LedgerPost, { status, lost }: Clicked, since = 0) => {
    const own = post.presses.slice(since);
    const last = own.findLast(({ end }) => end === 'lost');
    if (status === 409 && lost > 0 && last && own.every(({ end }) => end !== 'taken')) last.end = 'taken';
    return status === 200 || (status === 409 && lost > 0);
  };

  const publish = async (post: LedgerPost) => {
    const since = post.presses.length;
    const clicked = await person.click('/api/app/actions/posts.publishNow', { id: post.id }, pressing(post));
    if (!settlePress(post, clicked, since))
      throw new GaveUp(`publish: ${clicked.status} ${JSON.stringify(clicked.body)}`);
  };

  /** Asks the service for its time first, because its clocks may differ from ours and from each other. */
  const schedule = async (post: LedgerPost) => {
    let lost = 0;
    for (let attempt = 0; attempt < 10; attempt++) {
      const { now } = (await person.get('/api/app/sandbox/clock')) as { now: string };
      const at = new Date(Date.parse(now) + post.plan.aheadMs + attempt * 30_000).toISOString();
      const clicked = await person.click('/api/app/actions/posts.schedule', { id: post.id, at }, pressing(post));
      lost += clicked.lost;
      if (settlePress(post, { ...clicked, lost })) {
        if (clicked.status === 200) post.scheduledFor = at;
        return;
      }
      if (clicked.code !== 'BadInput') throw new GaveUp(`schedule: ${JSON.stringify(clicked.body)}`);
    }
    throw new GaveUp('the service accepted no time as in the future');
  };

  const ask = async (post: LedgerPost, decision: LedgerCard['decision']) => {
    const { approvalUrl = '' } = await agent.call('posts_publishNow', { id: post.id });
    const id = approvalUrl.split('/').at(-1) ?? '';
    if (!id.startsWith('card_')) throw new GaveUp(`no card: ${approvalUrl}`);
    return ledger.asked(id, post.plan.number, decision);
  };

  const decide = async (post: LedgerPost, card: LedgerCard) => {
    const log = card.decision === 'approve' ? pressing(post) : undefined;
    const clicked = await person
      .click(`/api/approvals/${card.id}/${card.decision}`, {}, log)
      .catch((error: unknown) => {
        card.lost++;
        throw error;
      });
    card.lost += clicked.lost;
    if (clicked.status === 200) card.successes++;
    return clicked;
  };

  const ways: Record<PlannedPost['way'], (post: LedgerPost) => Promise<unknown>> = {
    draft: async () => undefined,
    publish,
    schedule,
    approve: async (post) => settlePress(post, await decide(post, await ask(post, 'approve'))),
    'approve-twice': async (post) => {
      const card = await ask(post, 'approve');
      const both = await Promise.all([decide(post, card), decide(post, card)]);
      for (const clicked of both) settlePress(post, clicked);
    },
    reject: async (post) => decide(post, await ask(post, 'reject')),
  };

  const run = async (number: number) => {
    const plan = planPost(number, streams(`post ${number}`), takers);
    try {
      const post = ledger.created(plan, await write(plan, await mediaFor(plan)));
      await ways[plan.way](post);
    } catch (error) {
      ledger.gaveUp(plan.way, error instanceof Error ? error.message : String(error));
    }
  };

  return {
    takers,

    publish,

    /** Begins `perMinute` posts a minute until it is over; ends when the last of them is acknowledged or given up. */
    run: async (perMinute: number, isOver: () => boolean) => {
      const jobs = new Set<Promise<void>>();
      const startedMs = performance.now();
      for (let number = 1; !isOver(); number++) {
        await sleep(Math.max(0, startedMs + (number * 60_000) / perMinute - performance.now()));
        while (jobs.size >= maxJobs) await Promise.race(jobs);
        const job: Promise<void> = run(number).finally(() => jobs.delete(job));
        jobs.add(job);
      }
      await Promise.all(jobs);
    },
  };
};
