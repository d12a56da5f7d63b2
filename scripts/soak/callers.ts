import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { Posthorn } from '#generated/sdk/src/index';
import type { Receiver } from '#test/support/receiver';
import type { Ledger } from './ledger.ts';

/** Trouble at the network, asked for by a mark in the text; each works once. Not `503-late`: it goes by true seconds, and the clock is moved past them here. */
const marks = ['429', '503', '500-after', 'lost', 'cut', 'hang', 'slow', 'expired-token', 'content-refused'];

/** Callers as they are in life: scripts with the SDK, agents, people in the app, and a receiver of webhooks. */
export const createCallers = async ({
  url,
  token,
  person,
  accountIds,
  receiver,
  ledger,
}: {
  url: string;
  token: string;
  person: { email: string; password: string };
  accountIds: readonly string[];
  receiver: Receiver;
  ledger: Ledger;
}) => {
  const client = new Posthorn({ token, baseUrl: url, maxRetries: 8, timeoutMs: 15_000 });
  let number = 0;
  let cookie = '';

  const send = async (path: string, body: unknown, headers: Record<string, string>) =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(15_000),
    });

  /** A click in the app. A person tries again when something went wrong; the second may find that it is done already. */
  const click = async (path: string, body: unknown = {}) => {
    for (let turn = 0; ; turn++) {
      try {
        const answer = await send(path, body, {
          cookie,
          origin: 'http://localhost:3000',
          'sec-fetch-site': 'same-origin',
        });
        if (answer.status === 409 && turn > 0) return undefined;
        if (answer.ok) return (await answer.json()) as Record<string, unknown>;
        if (answer.status < 500 && answer.status !== 429 && answer.status !== 401)
          throw new Refused(`${path}: ${await answer.text()}`);
      } catch (error) {
        if (error instanceof Refused || turn > 20) throw error;
      }
      if (turn > 20) throw new Refused(`${path} failed again and again`);
      await sleep(300 * Math.min(turn + 1, 5));
    }
  };
  const signIn = async () => {
    for (let turn = 0; turn < 30; turn++) {
      const answer = await send('/api/auth/sign-in', person, { 'sec-fetch-site': 'same-origin' }).catch(
        () => undefined,
      );
      cookie = answer?.headers.getSetCookie()[0]?.split(';')[0] ?? '';
      if (answer?.ok) return;
      await sleep(500);
    }
    throw new Error('nobody can sign in');
  };

  const textOf = () => {
    number++;
    const mark = number % 7 === 0 ? ` [sandbox:${marks[Math.floor(number / 7) % marks.length]}]` : '';
    return `Soak number ${number}.${mark}`;
  };
  const someAccounts = () => accountIds.slice(0, 1 + (number % accountIds.length));

  const draft = async (media: string[] = []) => {
    const body = textOf();
    const post = await client.posts.create({ accountIds: someAccounts(), body });
    ledger.created(post.id, body);
    if (media.length > 0) {
      await client.posts.update({
        id: post.id,
        accountIds: post.accountIds,
        versions: [{ content: [{ body, media }] }],
      });
    }
    return post;
  };

  const later = () => new Date(Date.now() + 5_000 + Math.random() * 40_000).toISOString();

  /** An agent tries again what did not arrive, and what the server says it failed at: that is an answer too, with status 200. */
  const agent = async (method: string, params: unknown) => {
    let trouble = '';
    for (let turn = 0; turn < 10; turn++) {
      const headers = {
        authorization: `Bearer ${token}`,
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      };
      const message = { jsonrpc: '2.0', id: 1, method, params };
      const { result, error, ...other } = await send('/mcp', message, headers)
        .then((answer) => answer.json() as Promise<AgentAnswer>)
        .catch((lost: unknown): AgentAnswer => ({ error: { message: String(lost) } }));
      if (result) return result;
      trouble = error?.message ?? JSON.stringify(other);
      await sleep(400);
    }
    throw new Refused(`${method} failed again and again: ${trouble}`);
  };

  const jobs = {
    script: async () => {
      const post = await draft();
      await client.posts.get({ id: post.id });
      await client.posts.list({ limit: 20 });
    },
    scheduled: async () => {
      const post = await draft();
      // The clock of the service may be ahead: then it goes out at once, by hand.
      const done = await click('/api/app/actions/posts.schedule', { id: post.id, at: later() }).catch(() => undefined);
      if (done === undefined) await click('/api/app/actions/posts.publishNow', { id: post.id }).catch(() => undefined);
      ledger.publishing(post.id);
    },
    published: async () => {
      const post = await draft();
      await click('/api/app/actions/posts.publishNow', { id: post.id });
      ledger.publishing(post.id);
    },
    withPicture: async () => {
      const color = `#${Math.floor(Math.random() * 0xffffff)
        .toString(16)
        .padStart(6, '0')}`;
      const bytes = await sharp({ create: { width: 64, height: 64, channels: 3, background: color } })
        .png()
        .toBuffer();
      const media = await client.media.upload(new Blob([new Uint8Array(bytes)]), {
        filename: 'soak.png',
        alt: 'A plain colour',
      });
      ledger.uploaded(media.id);
      const post = await draft([media.id]);
      await click('/api/app/actions/posts.publishNow', { id: post.id });
      ledger.publishing(post.id);
    },
    agent: async () => {
      const post = await draft();
      const asked = await agent('tools/call', { name: 'posts_publishNow', arguments: { id: post.id } });
      const card = asked.structuredContent?.approvalUrl?.split('/').at(-1);
      if (card === undefined) throw new Refused(`no card for ${post.id}: ${JSON.stringify(asked)}`);
      ledger.asked();
      await click(`/api/approvals/${card}/approve`);
      ledger.publishing(post.id);
    },
  };

  await signIn();
  const hook = receiver.address((res) => {
    // Every tenth is refused, so that it comes again.
    res.writeHead(Math.random() < 0.1 ? 500 : 204).end();
  });
  await click('/api/webhooks', { url: hook.url, events: ['post.published', 'post.failed'] });

  return {
    run: async (isOver: () => boolean) => {
      await Promise.all(
        Object.entries(jobs).map(async ([name, job]) => {
          while (!isOver()) {
            await job().then(
              () => ledger.done(name),
              (error: unknown) => ledger.failed(name, String(error)),
            );
            await sleep(250);
          }
        }),
      );
    },
  };
};

class Refused extends Error {}

interface AgentAnswer {
  readonly result?: { structuredContent?: Record<string, string> };
  readonly error?: { message: string };
}
