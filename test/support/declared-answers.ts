import { readFileSync } from 'node:fs';
import type { Server, ServerResponse } from 'node:http';

interface Answer {
  $ref?: string;
  content?: Record<string, { schema: { $ref?: string; anyOf?: { $ref: string }[] } }>;
}
interface Operation {
  security?: object[];
  responses: Record<string, Answer>;
}

const { paths, components } = JSON.parse(readFileSync('openapi/openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, Answer> };
};

/** By method and path: the codes of each status that the document declares. Only for operations that accept a token. */
const declared = new Map(
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { security = [], responses }]) =>
      security.some((scheme) => 'personalToken' in scheme)
        ? [
            [
              `${method.toUpperCase()} ${path}`,
              new Map(Object.entries(responses).map(([s, r]) => [Number(s), codesOf(r)])),
            ],
          ]
        : [],
    ),
  ) as [string, Map<number, string[]>][],
);

function codesOf(answer: Answer) {
  const { content = {} } = components.responses[answer.$ref?.split('/').at(-1) ?? ''] ?? answer;
  const { $ref, anyOf = [] } = content['application/json']?.schema ?? {};
  return [$ref, ...anyOf.map((one) => one.$ref)].flatMap((ref) => /\/(\w+)Error$/.exec(ref ?? '')?.[1] ?? []);
}

/** The answers of this server that the document does not declare. Every test that starts a service checks them. */
export const watchAnswers = (server: Server): ReadonlySet<string> => {
  const undeclared = new Set<string>();
  server.prependListener('request', ({ method = '', url = '' }, res: ServerResponse) => {
    const operation = `${method} ${url.split('?')[0]}`;
    const answers = declared.get(operation);
    if (answers === undefined) return;
    const end = res.end.bind(res) as (...args: unknown[]) => ServerResponse;
    res.end = ((...args: unknown[]) => {
      const { statusCode } = res;
      const code = statusCode >= 400 && typeof args[0] === 'string' ? codeIn(args[0]) : undefined;
      const codes = answers.get(statusCode);
      if (codes === undefined || (code !== undefined && !codes.includes(code)))
        undeclared.add(`${operation} ${statusCode} ${code ?? ''}`.trim());
      return end(...args);
    }) as typeof res.end;
  });
  return undeclared;
};

const codeIn = (text: string): string | undefined => {
  try {
    return JSON.parse(text).code;
  } catch {
    return undefined;
  }
};
