import { setTimeout as sleep } from 'node:timers/promises';

const answerWithinMs = 15_000;
const maxTries = 40;

/** Records each attempt and its outcome. */
export interface TryLog {
  begin(): (end: 'taken' | 'refused' | 'lost') => void;
}

export interface Clicked {
  readonly status: number;
  readonly code: string;
  readonly body: Record<string, unknown>;
  /** Earlier attempts without an answer. */
  readonly lost: number;
}

export class GaveUp extends Error {}

export type Person = Awaited<ReturnType<typeof signInPerson>>;

/** A person using the app, who retries unanswered requests and accepts refusals. */
export const signInPerson = async (url: string, credentials: { email: string; password: string }) => {
  let cookie = '';
  let workspaceId = '';
  const post = (path: string, body: unknown) =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url, 'sec-fetch-site': 'same-origin', cookie },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(answerWithinMs),
    });

  const signIn = async () => {
    for (let attemptNumber = 0; attemptNumber < maxTries; attemptNumber++) {
      const answer = await post('/api/auth/sign-in', credentials).catch(() => undefined);
      const newCookie = answer?.headers.getSetCookie()[0]?.split(';')[0];
      if (answer?.ok && newCookie) {
        cookie = newCookie;
        // A new session opens the workspace that this user opened last in any browser.
        if (workspaceId === '') return;
        const opened = await post(`/api/app/workspaces/${workspaceId}/open`, {}).catch(() => undefined);
        if (opened?.ok) return;
      }
      await sleep(500);
    }
    throw new GaveUp('sign-in failed repeatedly');
  };
  await signIn();

  const attempt = async (path: string, body: unknown, log: TryLog | undefined) => {
    const end = log?.begin();
    try {
      const answer = await post(path, body);
      const text = await answer.text();
      const json = JSON.parse(text === '' ? '{}' : text) as Record<string, unknown>;
      const wasLost = answer.status >= 500;
      end?.(answer.ok ? 'taken' : wasLost ? 'lost' : 'refused');
      return { status: answer.status, body: json, wasLost };
    } catch {
      end?.('lost');
      return { status: 0, body: {}, wasLost: true };
    }
  };

  return {
    /** Keeps this workspace open, also after a new sign-in. */
    stayIn: (id: string) => {
      workspaceId = id;
    },

    /** Retries until the answer is final: success, or a refusal that a retry would not change. */
    click: async (path: string, body: unknown = {}, log?: TryLog): Promise<Clicked> => {
      let lost = 0;
      for (let attemptNumber = 0; attemptNumber < maxTries; attemptNumber++) {
        const { status, body: answer, wasLost } = await attempt(path, body, log);
        if (wasLost) lost++;
        else if (status === 401) await signIn();
        else if (status !== 429) return { status, code: String(answer.code ?? ''), body: answer, lost };
        await sleep(200 * Math.min(attemptNumber + 1, 8));
      }
      throw new GaveUp(`${path} failed again and again`);
    },

    get: async (path: string) => {
      for (let attemptNumber = 0; attemptNumber < maxTries; attemptNumber++) {
        const signal = AbortSignal.timeout(answerWithinMs);
        const answer = await fetch(url + path, { headers: { cookie }, signal }).catch(() => undefined);
        const body = answer?.ok ? await answer.json().catch(() => undefined) : undefined;
        if (body) return body as Record<string, unknown>;
        await sleep(200 * Math.min(attemptNumber + 1, 8));
      }
      throw new GaveUp(`GET ${path} failed again and again`);
    },
  };
};

interface AgentAnswer {
  readonly result?: { structuredContent?: Record<string, string>; isError?: boolean };
  readonly error?: { message: string };
}

/** An MCP client, which retries unanswered calls and server errors. */
export const createAgent = (url: string, token: string) => ({
  call: async (tool: string, input: Record<string, unknown>) => {
    let trouble = '';
    for (let attemptNumber = 0; attemptNumber < maxTries; attemptNumber++) {
      const { result, error } = await fetch(`${url}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${token}`,
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-11-25',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: input } }),
        signal: AbortSignal.timeout(answerWithinMs),
      })
        .then((answer) => answer.json() as Promise<AgentAnswer>)
        .catch((lost: unknown): AgentAnswer => ({ error: { message: String(lost) } }));
      if (result && result.isError !== true) return result.structuredContent ?? {};
      trouble = error?.message ?? JSON.stringify(result);
      await sleep(300 * Math.min(attemptNumber + 1, 6));
    }
    throw new GaveUp(`${tool} failed again and again: ${trouble}`);
  },
});

export type Agent = ReturnType<typeof createAgent>;
