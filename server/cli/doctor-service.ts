import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Config } from '#server/config';
import type { Findings } from './doctor-looks.ts';

const patienceMs = 3_000;

export const lookAtService = async ({ baseUrl }: Config, { good, note, bad }: Findings) => {
  const answer = await ask(`${baseUrl}/readyz`).catch(() => undefined);
  if (answer?.ok) good.push(`The service answers at ${baseUrl}/readyz`);
  else if (answer) bad.push(`The service at ${baseUrl} is not ready: ${answer.said}`);
  else note.push(`No service answers at ${baseUrl}; \`npm start\` runs it`);
};

/** Not with fetch, which takes as long to load as all else. */
const ask = async (url: string) => {
  const { get } = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  const request = get(url, { agent: false, signal: AbortSignal.timeout(patienceMs) });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return { ok: answer.statusCode === 200, said: await text(answer) };
};
