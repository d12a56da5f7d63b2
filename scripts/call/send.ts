import type { IncomingMessage, RequestOptions } from 'node:http';
import { text } from 'node:stream/consumers';

type Ask = (url: string, options: RequestOptions, answered: (answer: IncomingMessage) => void) => Asking;
type Asking = import('node:http').ClientRequest;

/** In place of fetch, which takes longer to load than the call takes. It is still used for forms. */
export const send = async (url: string, init: RequestInit): Promise<Response> => {
  const { method, headers, body, signal } = init;
  if (typeof body !== 'string' && body !== null) return fetch(url, init);
  const { request }: { request: Ask } = await (url.startsWith('https:') ? import('node:https') : import('node:http'));
  return new Promise((resolve, reject) => {
    // Without an agent the connection ends with the answer, and the process does not wait for it.
    const options = { method, headers, signal, agent: false } as RequestOptions;
    const asking = request(url, options, (answer) => resolve(asResponse(answer)));
    asking.on('error', reject);
    asking.end(body ?? undefined);
  });
};

/** As much of one as the SDK reads. */
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
