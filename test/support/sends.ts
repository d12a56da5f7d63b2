import type { Post } from '#contracts/posts';
import { sql } from '#server/base/store/database';
import type { Service } from './service.ts';
import { until } from './until.ts';

/** The progress of a send. */
export interface SendRecord {
  readonly dueInMs: number | null;
  readonly claim: string | null;
  readonly begunAt: string | null;
  readonly begunBody: string | null;
  readonly tries: number;
}

/** Waits for its next attempt; a send that is being worked on has a claim. */
export const isWaiting = ({ claim, dueInMs: dueMs }: SendRecord) => claim === null && dueMs !== null && dueMs > 0;

let changes = 0;
/** A service, with what tests of sending need. */
export const serviceWithSends = (service: Service) => {
  const post = (id: string) => service.client.posts.get({ id });
  const isOver = async (id: string) => ['Published', 'Failed'].includes((await post(id)).status);
  const rowOf = async (id: string): Promise<SendRecord> => {
    const [row] = await service.database.query(
      sql(
        'test.row',
        `select (extract(epoch from due_at - posthorn_now()) * 1000)::float8 as due_in_ms, claim, begun_at, begun_body, tries
           from sends where post_id = $1`,
      ).holds<SendRecord>(),
      [id],
    );
    if (row === undefined) throw new Error(`${id} has no send`);
    return row;
  };

  const inTime = async (id: string, isDone: (id: string) => Promise<boolean>): Promise<Post> => {
    for (let turn = 0; turn < 40 && !(await isDone(id)); turn++) {
      await until('it is done or waits', async () => (await isDone(id)) || isWaiting(await rowOf(id)));
      const { dueInMs: dueMs } = await rowOf(id);
      if (!(await isDone(id)) && dueMs !== null && dueMs > 0) await service.clock.forward(Math.ceil(dueMs));
    }
    return (await post(id)) as Post;
  };

  return {
    ...service,
    post,
    rowOf,

    change: (id: string, what: string) =>
      service.database.query(sql(`test.change.${++changes}`, `update sends set ${what} where post_id = $1`), [id]),

    /** Waits until this instance is working on no send. */
    isIdle: () => until('no send is in progress', () => service.posthorn.jobs.inFlight().get('sends') === 0),

    shown: async (network: string, text: string) =>
      (await service.feed(network)).filter((one) => one.text.includes(text)).length,

    publishNow: async (accountId: string, body: string, media: string[] = []): Promise<string> => {
      const { id } = await service.client.posts.create({ accountIds: [accountId], body });
      if (media.length > 0) {
        const versions = [{ content: [{ body, media }] }];
        await service.client.posts.update({ id, accountIds: [accountId], versions });
      }
      await service.asHuman('posts.publishNow', { id });
      return id;
    },

    ended: async (id: string): Promise<Post> => {
      await until(`${id} has ended`, () => isOver(id));
      return (await post(id)) as Post;
    },

    /** Moves the clock to the next attempt, again and again, until it has ended. */
    endedInTime: (id: string) => inTime(id, isOver),

    /** The same until its outcome is final: until no request can still reach the network. */
    settledInTime: (id: string) => inTime(id, async () => (await isOver(id)) && (await rowOf(id)).dueInMs === null),
  };
};
