import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Config } from '#server/config/config';
import { type Check, checksNamed } from '#server/health/check';

const timeoutMs = 3_000;

interface Answer {
  readonly url: string;
  readonly isReady: boolean;
  /** What was answered, or why nothing was. */
  readonly words: string;
  /** Something answers, ready or not. */
  readonly isThere: boolean;
}

/** Where people reach the service, and where it listens: what is between the two may be broken alone. */
export const checkService = async ({ baseUrl, host, port, production }: Config): Promise<Check> => {
  const { ok, note, warning, failure } = checksNamed('service');
  const outside = await ask(baseUrl);
  if (outside.isReady) return ok(`The service answers at ${outside.url}`);
  const local = port === 0 ? undefined : await ask(`http://${localHost(host)}:${port}`);
  if (outside.isThere && !local?.isReady) {
    return failure(`The service at ${baseUrl} is not ready: ${outside.words}. Look at its log.`);
  }
  if (local?.isReady) {
    const message = `The service answers at ${local.url}, but not at ${outside.url}: ${outside.words}. Mend BASE_URL, its DNS, its certificate or the proxy in front: people, networks and agents come that way.`;
    return production ? failure(message) : warning(message);
  }
  if (local?.isThere) return failure(`The service at ${local.url} is not ready: ${local.words}. Look at its log.`);
  const nowhere = `No service answers at ${outside.url} (${outside.words})${local ? ` nor at ${local.url} (${local.words})` : ''}`;
  return production
    ? failure(`${nowhere}. Start it with \`posthorn start\`, and look at its log.`)
    : note(`${nowhere}; \`npm start\` runs it`);
};

/** An address that listens for all is not one that can be asked. */
const localHost = (host: string) => {
  if (['::', '0.0.0.0', ''].includes(host)) return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
};

const ask = async (address: string): Promise<Answer> => {
  const url = `${address}/readyz`;
  try {
    const { status, body } = await get(url);
    const isReady = status === 200 && body === 'ready';
    return { url, isReady, isThere: true, words: isReady ? body : `HTTP ${status} ${firstLine(body)}`.trim() };
  } catch (error) {
    return { url, isReady: false, isThere: false, words: wordsOf(error as NodeJS.ErrnoException) };
  }
};

/** Not with fetch, which takes as long to load as all else. */
const get = async (url: string) => {
  const { get: request } = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  const sent = request(url, { agent: false, signal: AbortSignal.timeout(timeoutMs) });
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, body: await text(answer) };
};

const firstLine = (body: string) => body.trim().split('\n')[0]?.slice(0, 200) ?? '';

/** For several addresses of a name Node leaves the message empty. */
const wordsOf = ({ name, message, code }: NodeJS.ErrnoException) => {
  if (name === 'AbortError' || name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`;
  return [message || code, message && code && !message.includes(code) && `(${code})`].filter(Boolean).join(' ');
};
