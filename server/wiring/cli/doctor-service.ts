import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Config } from '#server/base/config/config';
import { type Check, checksNamed } from '#server/base/health/check';
import { portAdvice } from '#server/base/health/port-advice';

const timeoutMs = 3_000;

interface Probe {
  readonly url: string;
  readonly isReady: boolean;
  /** The response, or the error. */
  readonly description: string;
  /** Something responds, ready or not. */
  readonly isUp: boolean;
  /** Something listens, but neither ready nor with the status of a Posthorn that is not ready. */
  readonly isForeign: boolean;
}

/** Checks both the public address and the local port, because the proxy between them may be the broken part. */
export const checkService = async ({ baseUrl, host, port, production }: Config): Promise<Check> => {
  const { ok, note, warning, failure } = checksNamed('service');
  const outside = await probe(baseUrl);
  if (outside.isReady) return ok(`The service answers at ${outside.url}`);
  const local = port === 0 ? undefined : await probe(`http://${localHost(host)}:${port}`);
  if (local?.isForeign) {
    return failure(
      `Port ${port} is in use by something that does not answer as Posthorn does (${local.description}). ${portAdvice(port)} If it is a Posthorn that hangs, look at its log.`,
    );
  }
  if (outside.isUp && !local?.isReady) {
    return failure(`The service at ${baseUrl} is not ready: ${outside.description}. Look at its log.`);
  }
  if (local?.isReady) {
    const message = `The service answers at ${local.url}, but not at ${outside.url}: ${outside.description}. Fix BASE_URL, its DNS, its certificate or the proxy in front: people, networks and agents come that way.`;
    return production ? failure(message) : warning(message);
  }
  if (local?.isUp) return failure(`The service at ${local.url} is not ready: ${local.description}. Look at its log.`);
  const nowhere = `No service answers at ${outside.url} (${outside.description})${local ? ` nor at ${local.url} (${local.description})` : ''}`;
  return production
    ? failure(`${nowhere}. Start it with \`posthorn start\`, and look at its log.`)
    : note(`${nowhere}; \`npm start\` runs it`);
};

/** A wildcard address can be listened on, but not connected to. */
const localHost = (host: string) => {
  if (['::', '0.0.0.0', ''].includes(host)) return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
};

const probe = async (address: string): Promise<Probe> => {
  const url = `${address}/readyz`;
  try {
    const { status, body } = await get(url);
    const isReady = status === 200 && body === 'ready';
    const description = isReady ? body : `HTTP ${status} ${firstLine(body)}`.trim();
    return { url, isReady, isUp: true, isForeign: !isReady && status !== notReady, description };
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const description = describeError(error as NodeJS.ErrnoException);
    return { url, isReady: false, isUp: false, isForeign: !unreachable.test(code), description };
  }
};

const notReady = 503;
/** Nobody listens there, or nothing leads there. */
const unreachable = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ENOTFOUND|EAI_AGAIN|EACCES|EPERM)$/;

/** Not fetch, because loading it takes as long as the rest of the command. */
const get = async (url: string) => {
  const { get: request } = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  const sentRequest = request(url, { agent: false, signal: AbortSignal.timeout(timeoutMs) });
  const [answer] = (await once(sentRequest, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, body: await text(answer) };
};

const firstLine = (body: string) => body.trim().split('\n')[0]?.slice(0, 200) ?? '';

/** Node leaves the message empty when a name has several addresses and all fail. */
const describeError = ({ name, message, code }: NodeJS.ErrnoException) => {
  if (name === 'AbortError' || name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`;
  return [message || code, message && code && !message.includes(code) && `(${code})`].filter(Boolean).join(' ');
};
