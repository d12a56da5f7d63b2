import type { RequestHandler } from 'express';
import { z } from 'zod';
import type { Documented } from '#server/networks/sandbox';

/** One request as a sandbox received it, and its answer. */
export interface RecordedRequest {
  readonly network: string;
  readonly method: string;
  /** `api/2/tweets`: the host's name and the path below it. */
  readonly path: string;
  readonly query: unknown;
  readonly body: () => unknown;
  status?: number;
  answer?: unknown;
}

/** Middleware in front of the sandboxes: records what those of these networks receive and answer. */
export const recordRequests = (networks: readonly string[], recorded: RecordedRequest[]): RequestHandler => {
  return (req, res, next) => {
    const [, network = '', path = ''] = /^\/sandbox\/([^/]+)\/(.+)$/.exec(req.path) ?? [];
    if (!networks.includes(network)) return next();
    const chunks: Buffer[] = [];
    const push = req.push.bind(req);
    // Reading the stream would consume it before the sandbox does.
    req.push = (chunk, encoding) => {
      if (chunk) chunks.push(Buffer.from(chunk));
      return push(chunk, encoding);
    };
    const one: RecordedRequest = {
      network,
      method: req.method,
      path: path.replace(/\/$/, ''),
      query: { ...req.query },
      body: () => {
        const type = req.headers['content-type'] ?? '';
        if (type.startsWith('multipart/')) return partsOf(Buffer.concat(chunks).toString('latin1'));
        return /json|urlencoded/.test(type) ? req.body : undefined;
      },
    };
    recorded.push(one);
    const end = res.end.bind(res);
    res.end = ((chunk?: unknown, ...rest: never[]) => {
      // A web page is an injected fault.
      if (!String(res.getHeader('content-type')).includes('html')) {
        one.status = res.statusCode;
        one.answer = chunk ? parsed(String(chunk)) : undefined;
      }
      return end(chunk as never, ...rest);
    }) as typeof res.end;
    next();
  };
};

const partsOf = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/form-data; name="([^"]*)"(; filename="[^"]*")?[^\r]*\r\n(?:[^\r]+\r\n)*\r\n([^\r]*)/g)].map(
      ([, name, file, value]) => [name, file === undefined ? value : true],
    ),
  );

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** Differences from the network's description, as text. */
export const complaintsAbout = ({ calls, error }: Documented, recorded: readonly RecordedRequest[]): string[] =>
  recorded.flatMap(({ method, path, query, body, status, answer }) => {
    // Pages for people, where they give consent.
    if (path.startsWith('web/') || path.endsWith('/oauth/authorize')) return [];
    const name = `${method} ${path}`;
    const call = calls.find((one) => matches(one.call, name));
    if (call === undefined) return [`${name} is not documented`];
    const checked: [what: string, schema: z.ZodType | undefined, value: unknown][] = [
      ['query', call.query ?? z.strictObject({}), query],
      ['body', call.body ?? z.undefined(), body() ?? undefined],
    ];
    if (status !== undefined) checked.push([`answer ${status}`, status >= 400 ? error : call.answer, answer]);
    return checked.flatMap(([what, schema = z.undefined(), value]) => {
      const result = schema.safeParse(value);
      return result.success ? [] : [`${call.call}, ${what}: ${z.prettifyError(result.error)}`];
    });
  });

const matches = (call: string, name: string) => {
  const [pattern, path] = [call.split('/'), name.split('/')];
  return pattern.length === path.length && pattern.every((part, index) => part.startsWith(':') || part === path[index]);
};
