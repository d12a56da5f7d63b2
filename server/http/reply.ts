import type { ServerResponse } from 'node:http';
import type { Refusal } from '#server/errors';

/** One write with its length: Express's own json() looks up types, etags and freshness that no answer here needs. */
export const reply = (res: ServerResponse, status: number, body: unknown) =>
  replyText(res, status, JSON.stringify(body));

export const replyText = (res: ServerResponse, status: number, text: string) => {
  res.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  res.end(text);
};

export const replyRefusal = (res: ServerResponse, refusal: Refusal) => reply(res, refusal.status, refusal.body);
