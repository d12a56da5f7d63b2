import type pg from 'pg';
import type { Post } from '#contracts/posts';
import type { Receiver } from '#test/support/receiver';

export type Ledger = ReturnType<typeof createLedger>;

/** What callers were told, and whether the service kept it. */
export const createLedger = () => {
  const bodies = new Map<string, string>();
  const sent = new Set<string>();
  const media = new Set<string>();
  const done: Record<string, number> = {};
  const failures: Record<string, number> = {};
  const words = new Map<string, number>();
  let cards = 0;

  return {
    created: (id: string, body: string) => bodies.set(id, body),
    publishing: (id: string) => sent.add(id),
    uploaded: (id: string) => media.add(id),
    asked: () => cards++,
    done: (name: string) => {
      done[name] = (done[name] ?? 0) + 1;
    },
    failed: (name: string, why: string) => {
      failures[name] = (failures[name] ?? 0) + 1;
      words.set(why.slice(0, 160), (words.get(why.slice(0, 160)) ?? 0) + 1);
    },
    inWords: () => `${bodies.size} posts, ${sent.size} published, ${media.size} files, ${cards} cards`,
    figures: () => ({
      posts: bodies.size,
      published: sent.size,
      files: media.size,
      cards,
      done,
      failures,
      failureTexts: Object.fromEntries(words),
    }),

    /** Nothing is on its way any more, to networks or to webhooks. */
    isSettled: async (db: pg.Pool) => {
      const { rows } = await db.query(
        `select (select count(*) from posts where status in ('Scheduled', 'Publishing'))::int as posts,
                (select count(*) from deliveries where state = 'pending')::int as deliveries`,
      );
      return rows[0].posts === 0 && rows[0].deliveries === 0;
    },

    check: async ({
      db,
      receiver,
      feeds,
      networks,
      accountIds,
    }: {
      db: pg.Pool;
      receiver: Receiver;
      feeds: (network: string) => Promise<readonly { text: string }[]>;
      networks: readonly string[];
      accountIds: readonly string[];
    }): Promise<string[]> => {
      const problems: string[] = [];
      const { rows } = await db.query<Pick<Post, 'id' | 'status' | 'results'> & { body: string }>(
        `select id, status, results, versions -> 0 -> 'content' -> 0 ->> 'body' as body from posts`,
      );
      const stored = new Map(rows.map((post) => [post.id, post]));
      const seen = new Map<string, Map<string, number>>();
      for (const [index, network] of networks.entries()) {
        const texts = new Map<string, number>();
        for (const { text } of await feeds(network)) texts.set(text, (texts.get(text) ?? 0) + 1);
        seen.set(accountIds[index] ?? '', texts);
      }

      for (const [id, body] of bodies) {
        if (stored.get(id)?.body !== body) problems.push(`lost: ${id} (${body})`);
      }
      const perBody = new Map<string, number>();
      for (const { body } of rows) perBody.set(body, (perBody.get(body) ?? 0) + 1);
      for (const [body, times] of perBody) if (times > 1) problems.push(`made ${times} times: ${body}`);
      for (const [accountId, texts] of seen) {
        for (const [text, times] of texts) if (times > 1) problems.push(`${times} times on ${accountId}: ${text}`);
      }
      for (const { id, status, results, body } of rows) {
        if (status === 'Publishing' || status === 'Scheduled') problems.push(`not ended: ${id} is ${status}`);
        for (const { accountId, ok, uncertain, error } of results) {
          const times = seen.get(accountId)?.get(body) ?? 0;
          if (ok && times !== 1) problems.push(`${id} is said to be on ${accountId}, and is there ${times} times`);
          if (!ok && !uncertain && times > 0)
            problems.push(`${id} is said not to be on ${accountId} (${error?.code}), and is: ${body}`);
        }
      }
      const ended = rows.filter(({ status }) => status === 'Published' || status === 'Failed');
      const events = (
        await db.query<{ id: string; post: string }>(
          `select id, data -> 'post' ->> 'id' as post from events where type in ('post.published', 'post.failed')`,
        )
      ).rows;
      const told = new Map<string, number>();
      for (const { post } of events) told.set(post, (told.get(post) ?? 0) + 1);
      for (const { id } of ended) if ((told.get(id) ?? 0) < 1) problems.push(`no event: ${id}`);
      const heard = new Set(receiver.received.map(({ event }) => event.id as string));
      for (const { id } of events) if (!heard.has(id)) problems.push(`never delivered: ${id}`);
      const kept = new Set((await db.query<{ id: string }>('select id from media')).rows.map(({ id }) => id));
      for (const id of media) if (!kept.has(id)) problems.push(`lost: ${id}`);
      return problems;
    },
  };
};
