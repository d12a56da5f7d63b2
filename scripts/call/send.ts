import type { IncomingMessage, RequestOptions } from 'node:http';
import { text } from 'node:stream/consumers';

type SendRequest = (url: string, options: RequestOptions, answered: (answer: IncomingMessage) => void) => ClientRequest;
type ClientRequest = import('node:http').ClientRequest;

/** Replaces fetch, which takes longer to load than the call itself. Forms still use fetch. */
export const send = async (url: string, init: RequestInit): Promise<Response> => {
  const { method, headers, body, signal } = init;
  if (typeof body !== 'string' && body !== null) return fetch(url, init);
  const { request }: { request: SendRequest } = await (url.startsWith('https:')
    ? import('node:https')
    : import('node:http'));
  return new Promise((resolve, reject) => {
    // Without an agent the connection closes after the answer, so that the process can exit.
    const options = { method, headers, signal, agent: false } as RequestOptions;
    const outgoing = request(url, options, (answer) => resolve(asResponse(answer)));
    outgoing.on('error', reject);
    outgoing.end(body ?? undefined);
  });
};

/** The part of a Response that the SDK uses. */
const asResponse = (answer: IncomingMessage) => {
  const { statusCode: status = 0, statusMessage: statusText, headers } = answer;
  const get = (name: string) => headers[name] ?? null;
  return {
    status,
    statusText,
    ok: status >= 200 && status < 300,
    headers: { get },
    text: () => text(answer),
  } as Response;
};
