import { OpenAPIRegistry, OpenApiGeneratorV31, type RouteConfig } from '@asteasolutions/zod-to-openapi';
import type { z } from 'zod';
import { exampleAccount } from '#contracts/accounts';
import type { RawOperation, RawRoute, Route } from '#contracts/define';
import { type ErrorCode, errorExamples, errorSchemas, errors } from '#contracts/errors';
import { deliveryHeaders, events } from '#contracts/events';
import { examplePost } from '#contracts/posts';
import type { ClosedSets } from './closed-sets.ts';
import { actionSamples, uploadSamples } from './code-samples.ts';
import { type DeclaredAction, type DeclaredRaw, type DeclaredRoute, toolName } from './contracts.ts';
import { byStatus, errorsOf } from './emit-rest.ts';
import { tidy } from './json-schema.ts';
import { pascal } from './print-types.ts';
import { version } from './release.ts';
import { createSampler } from './sample.ts';
import { compactJson, jsonByEntry } from './text.ts';

type Parameters = NonNullable<RouteConfig['parameters']>;
type Responses = RouteConfig['responses'];

const description = `Posthorn keeps the posts of a workspace, publishes them to social networks now or at a set time, and reads their statistics back.

Every operation is an action: \`POST /api/agent/tools/{action}\` with a JSON body. Send a personal token as \`Authorization: Bearer posthorn_pat_…\`.

* Actions marked **needs approval** never run over this API: they answer 403 \`ApprovalRequired\`, and a human does or approves them in the app.
* Every error body is \`{code, message, issues}\`; branch on \`code\`.
* Every answer carries \`x-request-id\`; quote it when you report a fault.
* Write actions and uploads take an \`Idempotency-Key\`, so that a lost answer can be asked for again; it then carries \`Idempotency-Replayed: true\`.
* A path that does not exist answers 404 \`NotFound\`, a method that a path does not have 405 with \`Allow\`, both in the error shape.
* New fields, values of closed sets and event types may come at any time; nothing is removed without a line in the changelog.`;

const tags: Record<string, string> = {
  posts: 'Drafts and what becomes of them',
  accounts: 'Connected accounts',
  providers: 'Networks, their limits and options',
  media: 'The media library',
  analytics: 'How posts did',
  ui: 'What the user has open in the web app',
  Catalog: 'The list of actions',
  Health: 'For load balancers and monitors',
  Session: 'Signing in and out of the app',
  Tokens: 'Personal API tokens; made and revoked by the signed-in user only',
  Workspaces: 'Workspaces of the signed-in user',
  Members: 'Who is in the workspace, and who is invited',
  Audit: 'Who did what',
  Installation: 'What is wrong with this server, for whoever set it up',
  MCP: 'For AI agents',
  Approvals: 'What agents asked for, and a human decides',
  Webhooks: 'What the service tells your address',
  Connections: 'Connecting accounts of networks, in the app',
  Assistant: 'Chats with the assistant of the app',
  Clients: 'MCP clients that may act for the user',
  Notifications: 'What waits for a person, and how they hear of it',
  Review: 'Comments, and addresses at which others see one post',
  Sandbox: 'The built-in networks, their faults and their clock; not in production',
  Transfer: 'Posts that come in from a file, and go out into one',
  Slots: 'Weekly times at which posts like to go out',
  Labels: 'What people sort posts by',
  Bin: 'Deleted posts, which can be restored for 30 days',
  Bulk: 'One change to many posts',
  Templates: 'Texts and signatures that are used again',
};

const appDescription = `Routes of the Posthorn web app, for a person who is signed in: they take a session cookie and no token. They change with every release, without notice. The stable API is in \`/openapi.json\`.`;

interface Content {
  readonly title: string;
  readonly description: string;
  readonly actions: readonly DeclaredAction[];
  readonly routes: readonly DeclaredRoute[];
  readonly raw: readonly DeclaredRaw[];
  readonly hasEvents: boolean;
}

/** Two documents: openapi/openapi.json for programs with a token, openapi/openapi-app.json for the rest of the routes. */
export const emitOpenapi = (
  declared: readonly DeclaredAction[],
  routes: readonly DeclaredRoute[],
  raw: readonly DeclaredRaw[],
  closed: ClosedSets,
) => {
  const sample = createSampler(examplesById(declared));
  const document = (content: Content) => withClosedSets(shared(tidied(documentOf(content, sample))), closed);
  return {
    // People read this one.
    'openapi/openapi.json': compactJson(
      document({
        title: 'Posthorn',
        description,
        actions: declared,
        routes: routes.filter(isStable),
        raw,
        hasEvents: true,
      }),
    ),
    'openapi/openapi-app.json': jsonByEntry(
      document({
        title: 'Posthorn web app',
        description: appDescription,
        actions: [],
        routes: routes.filter((one) => !isStable(one)),
        raw: [],
        hasEvents: false,
      }),
    ),
  };
};

/** SPEC names the paths for managing tokens, so they are stable too, although no token can call them. */
const isStable = ({ route: { access, tag } }: DeclaredRoute) =>
  access === 'Open' || access === 'PersonalToken' || access === 'SessionOrToken' || tag === 'Tokens';

const documentOf = ({ title, description: text, actions, routes, raw, hasEvents }: Content, sample: Sample) => {
  const registry = new OpenAPIRegistry();
  registerShared(registry);
  for (const one of actions) registry.registerPath(actionPath(one));
  for (const { name, route } of routes) registry.registerPath(routePath(name, route, sample));
  for (const { name, route } of raw)
    if (route.operation) registry.registerPath(rawPath(name, route, route.operation, sample));
  if (hasEvents) for (const [type, event] of Object.entries(events)) registry.registerWebhook(webhook(type, event));
  const used = [
    ...actions.map(({ domain }) => domain),
    ...routes.map(({ route }) => route.tag),
    ...raw.flatMap(({ route: { operation } }) => operation?.tag ?? []),
    ...(hasEvents ? ['Webhooks'] : []),
  ];
  return new OpenApiGeneratorV31(registry.definitions, { sortComponents: 'alphabetically' }).generateDocument({
    openapi: '3.1.1',
    info: {
      title,
      version,
      description: text,
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'Posthorn' },
    },
    servers: [{ url: '/', description: 'The server this document came from' }],
    tags: [...new Set(used)].map((name) => ({ name, description: tagText(name) })),
  });
};

/** A test requires a text for every tag; the fallback is for a domain that was just added. */
const tagText = (name: string) => tags[name] ?? `Actions of ${name}`;

/** Example records from the contracts, by schema id. */
const examplesById = (declared: readonly DeclaredAction[]): Record<string, unknown> => ({
  Account: exampleAccount,
  Post: examplePost,
  ...Object.fromEntries(Object.entries(errorExamples).map(([code, rest]) => [`${code}Error`, { code, ...rest }])),
  ...Object.fromEntries(
    declared.flatMap(({ action }) => {
      const id = action.output.meta()?.id;
      return id === undefined ? [] : [[id, action.examples[0]?.output]];
    }),
  ),
  MediaItem: (declared.find(({ name }) => name === 'media.list')?.action.examples[0]?.output.media as unknown[])?.[0],
});

type Components = { components: { schemas: Record<string, { enum?: readonly string[] }> } };

/**
 * Adds the values that come from network folders. Also turns defaults in shared schemas into text, because client generators
 * treat a field with a default as always present.
 */
const withClosedSets = (document: unknown, closed: ClosedSets) => {
  const { schemas } = (document as Components).components;
  for (const [name, values] of Object.entries(closed)) {
    const schema = schemas[name];
    if (schema !== undefined) schema.enum = values;
  }
  for (const schema of Object.values(schemas)) describeDefaults(schema);
  return document;
};

const describeDefaults = (value: unknown): void => {
  if (typeof value !== 'object' || value === null) return;
  const schema = value as { default?: unknown; description?: string; type?: unknown };
  // An option has fields named `default` and `type` too, which are not schema keywords.
  if ('default' in schema && typeof schema.type === 'string') {
    schema.description = `${schema.description ?? ''} (default \`${JSON.stringify(schema.default)}\`)`.trim();
    delete schema.default;
  }
  for (const inner of Object.values(value)) describeDefaults(inner);
};

interface SharedParts {
  paths?: Record<string, Record<string, { responses: Record<string, object> }>>;
  components: Record<string, Record<string, object>>;
}

/**
 * Nearly all paths have the same error responses, so write each one once, and leave out components that nothing
 * references.
 */
const shared = (value: unknown): unknown => {
  const document = value as SharedParts;
  const responses: Record<string, object> = {};
  for (const { responses: answers } of Object.values(document.paths ?? {}).flatMap((path) => Object.values(path))) {
    for (const [status, answer] of Object.entries(answers)) {
      const name = nameOfAnswer(answer);
      if (name === undefined) continue;
      responses[name] ??= answer;
      if (JSON.stringify(responses[name]) !== JSON.stringify(answer)) throw new Error(`two error answers are ${name}`);
      answers[status] = reference('responses', name);
    }
  }
  document.components.responses = Object.fromEntries(Object.entries(responses).sort(([a], [b]) => (a < b ? -1 : 1)));
  for (const kind of ['parameters', 'responses', 'headers', 'examples', 'securitySchemes']) {
    const text = JSON.stringify(document);
    const isUsed = ([name]: [string, object]) =>
      kind === 'securitySchemes' ? text.includes(`{"${name}":[]}`) : text.includes(`"#/components/${kind}/${name}"`);
    document.components[kind] = Object.fromEntries(Object.entries(document.components[kind] ?? {}).filter(isUsed));
  }
  return document;
};

/**
 * Name of an error response, such as BadInput or BadInputOrInvalid. Responses without a rate limit get the suffix
 * Unlimited. Undefined if the response is not an error.
 */
const nameOfAnswer = (answer: object) => {
  const { headers = {}, content } = answer as { headers?: object; content?: Record<string, { examples?: object }> };
  const codes = Object.keys(content?.['application/json']?.examples ?? {});
  if (!codes.every((code) => code in errors) || codes.length === 0) return undefined;
  return `${codes.join('Or')}${'RateLimit' in headers ? '' : 'Unlimited'}`;
};

const reference = (kind: 'examples' | 'headers' | 'parameters' | 'responses', name: string) => ({
  $ref: `#/components/${kind}/${name}`,
});

const registerShared = (registry: OpenAPIRegistry) => {
  for (const code of Object.keys(errors) as ErrorCode[])
    registry.registerComponent('examples', code, { summary: code, value: { code, ...errorExamples[code] } });
  registry.registerComponent('securitySchemes', 'personalToken', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'posthorn_pat_…',
    description:
      'A personal API token. It acts as its user in the workspace it was created in, and stops working when the user leaves.',
  });
  registry.registerComponent('securitySchemes', 'session', {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-sid',
    description:
      'The session of a person signed in to the app (`sid` on plain http). A token reaches few of these paths.',
  });
  for (const [key, { name, description: text, maxLength }] of Object.entries(requestHeaders))
    registry.registerComponent('parameters', key, {
      name,
      in: 'header',
      description: text,
      schema: { type: 'string', ...(maxLength && { maxLength }) },
    });
  for (const [name, text] of Object.entries(deliveryHeaders))
    registry.registerComponent('parameters', componentName(name), {
      name,
      in: 'header',
      required: true,
      description: text,
      schema: { type: 'string' },
    });
  for (const [key, text] of Object.entries(answerHeaders))
    registry.registerComponent('headers', key, { description: text, schema: { type: 'string' } });
  registry.registerComponent('headers', 'RetryAfter', { description: 'Seconds to wait', schema: { type: 'integer' } });
};

/** webhook-id → WebhookId */
const componentName = (header: string) => header.split('-').map(pascal).join('');

const requestHeaders: Record<string, { name: string; description: string; maxLength?: number }> = {
  RequestId: {
    name: 'X-Request-Id',
    description:
      'Your own id for this request, up to 64 letters, digits, dots, dashes or underscores; it is in the answer too',
    maxLength: 64,
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    description:
      'The same key with the same body returns the first answer for 24 hours, without doing the work again; with another body it is a Conflict',
    maxLength: 255,
  },
  IdempotencyKeyForSecret: {
    name: 'Idempotency-Key',
    description:
      'The same key is a Conflict for 24 hours, without doing the work again; the answer has a secret and is not stored',
    maxLength: 255,
  },
  Workspace: {
    name: 'Posthorn-Workspace',
    description:
      'Id of the workspace that your page is about. When another one is open in this browser, the answer is a Conflict and nothing is done',
  },
};

const answerHeaders = {
  RequestId: 'Id of this request, for support and logs',
  RateLimit: 'What is left: `"api";r=<requests left>;t=<seconds until the count starts anew>`',
  RateLimitPolicy: 'The limit itself: `"api";q=<requests>;w=<seconds>`',
  IdempotencyReplayed: '`true` when this is the answer of an earlier request with the same `Idempotency-Key`',
};

const publicHeaders = { 'x-request-id': reference('headers', 'RequestId') };
const apiHeaders = {
  ...publicHeaders,
  RateLimit: reference('headers', 'RateLimit'),
  'RateLimit-Policy': reference('headers', 'RateLimitPolicy'),
};

const replayHeaders = { ...apiHeaders, 'Idempotency-Replayed': reference('headers', 'IdempotencyReplayed') };

const actionPath = (one: DeclaredAction): RouteConfig => {
  const { name, domain, action } = one;
  const parameters: Parameters = [reference('parameters', 'RequestId')];
  if (action.kind === 'Write') parameters.push(reference('parameters', 'IdempotencyKey'));
  return {
    method: 'post',
    path: `/api/agent/tools/${name}`,
    operationId: toolName(name),
    summary: action.summary,
    description: `${action.description}\n\n${policy(one)}`,
    tags: [domain],
    'x-codeSamples': actionSamples(one),
    security: [{ personalToken: [] }],
    parameters,
    request: {
      body: {
        required: true,
        content: {
          'application/json': { schema: action.input, examples: namedExamples(action.examples, ({ input }) => input) },
        },
      },
    },
    responses: {
      200: {
        description: 'Done',
        headers: action.kind === 'Write' ? replayHeaders : apiHeaders,
        content: {
          'application/json': {
            schema: action.output,
            examples: namedExamples(action.examples, ({ output }) => output),
          },
        },
      },
      ...errorResponses(errorsOf(one), apiHeaders),
    },
  };
};

const policies = {
  ReadOnly: 'Changes nothing.',
  Write: 'Runs directly.',
  NeedsApproval: '**Needs approval**: over this API it always answers 403 `ApprovalRequired`.',
} as const;

const policy = ({ action: { kind, roles } }: DeclaredAction) => `${policies[kind]} Roles: ${roles.join(', ')}.`;

const namedExamples = <E extends { title: string }>(examples: readonly E[], pick: (example: E) => unknown) =>
  Object.fromEntries(
    examples.map((example) => [
      example.title.toLowerCase().replace(/\W+/g, '-'),
      { summary: example.title, value: pick(example) },
    ]),
  );

const errorResponses = (codes: readonly ErrorCode[], headers: Record<string, { $ref: string }>): Responses =>
  Object.fromEntries(
    byStatus(codes).map(([status, group]) => [
      status,
      {
        description: group.map((code) => `\`${code}\`: ${errors[code].meaning}`).join('\n\n'),
        headers: status === 429 ? { ...headers, 'Retry-After': reference('headers', 'RetryAfter') } : headers,
        content: {
          'application/json': {
            schema: errorUnion(group),
            examples: Object.fromEntries(group.map((code) => [code, reference('examples', code)])),
          },
        },
      },
    ]),
  );

const errorUnion = (group: readonly ErrorCode[]) => {
  const [first, ...others] = group.map((code) => errorSchemas[code]);
  if (first === undefined) throw new Error('a status without a code');
  return others.length === 0 ? first : first.or(others[0] as typeof first);
};

type Sample = ReturnType<typeof createSampler>;

const exampleOf = (example: unknown) => (example === undefined ? {} : { example });

const isLimited = ({ access }: Pick<Route | RawRoute, 'access'>) => access !== 'Open' && access !== 'Public';

/** Whether the response contains a secret, so that a replay of the request does not return it again. */
const hidesAnswer = ({ idempotent }: Route) => typeof idempotent === 'object';

const headersOf = (route: Route) => {
  if (route.idempotent && !hidesAnswer(route)) return replayHeaders;
  return isLimited(route) ? apiHeaders : publicHeaders;
};

const routePath = (name: string, route: Route, sample: Sample): RouteConfig => {
  const headers = headersOf(route);
  return {
    method: route.method.toLowerCase() as 'get',
    path: templateOf(route),
    operationId: name,
    summary: route.summary,
    description: describe(route),
    tags: [route.tag],
    ...(route.form && route.documented && { 'x-codeSamples': uploadSamples(route.path) }),
    security: security[route.access],
    parameters: [
      reference('parameters', 'RequestId'),
      ...(route.idempotent
        ? [reference('parameters', hidesAnswer(route) ? 'IdempotencyKeyForSecret' : 'IdempotencyKey')]
        : []),
      ...(route.roles && route.access !== 'PersonalToken' ? [reference('parameters', 'Workspace')] : []),
    ],
    request: {
      ...(route.params && { params: route.params }),
      ...(route.query && { query: route.query }),
      ...(route.body && { body: { required: true, content: bodyContent(route, sample) } }),
    },
    responses: {
      ...Object.fromEntries(
        Object.entries(route.responses).map(([status, { description: text, contentType, body }]) => [
          status,
          {
            description: text,
            headers,
            content: { [contentType]: { schema: body, ...exampleOf(sample(body, 'output')) } },
          },
        ]),
      ),
      ...errorResponses(route.errors, isLimited(route) ? apiHeaders : publicHeaders),
    },
  };
};

/** The parameter `:id` of Express is `{id}`. */
const templateOf = ({ path }: Pick<Route, 'path'>) => path.replaceAll(/:(\w+)/g, '{$1}');

const describe = ({ description: text, roles }: Pick<Route, 'description' | 'roles'>) =>
  roles ? `${text}\n\nRoles: ${roles.join(', ')}.` : text;

const rawPath = (name: string, route: RawRoute, operation: RawOperation, sample: Sample): RouteConfig => {
  const { method, tag, summary, idempotent, params, headers = {}, body, responses, errors: codes } = operation;
  const content = (schema: z.ZodType, io: 'input' | 'output', contentType = 'application/json') => ({
    [contentType]: { schema, ...(contentType === 'application/json' && exampleOf(sample(schema, io))) },
  });
  return {
    method: method.toLowerCase() as 'get',
    path: templateOf(route),
    operationId: name,
    summary,
    description: describe(route),
    tags: [tag],
    security: security[operation.access],
    parameters: [
      reference('parameters', 'RequestId'),
      ...(idempotent ? [reference('parameters', 'IdempotencyKey')] : []),
      ...Object.entries(headers).map(([header, text]) => ({
        name: header,
        in: 'header' as const,
        description: text,
        schema: { type: 'string' as const },
      })),
    ],
    request: {
      ...(params && { params }),
      ...(body && { body: { required: true, content: content(body.schema, 'input', body.contentType) } }),
    },
    responses: {
      ...Object.fromEntries(
        Object.entries(responses).map(([status, answer]) => [
          status,
          {
            description: answer.description,
            ...(answer.headers && {
              headers: Object.fromEntries(answer.headers.map((header) => [header, { schema: { type: 'string' } }])),
            }),
            ...(answer.body && { content: content(answer.body, 'output') }),
          },
        ]),
      ),
      ...errorResponses(codes, isLimited(route) ? apiHeaders : publicHeaders),
    },
  };
};

const security: Record<Route['access'], Record<string, string[]>[]> = {
  Open: [],
  Public: [],
  PersonalToken: [{ personalToken: [] }],
  Session: [{ session: [] }],
  SessionOrToken: [{ personalToken: [] }, { session: [] }],
};

const bodyContent = ({ body, form, documented }: Route, sample: Sample) => ({
  ...(form && { 'multipart/form-data': { schema: form } }),
  ...(body &&
    documented === undefined && { 'application/json': { schema: body, ...exampleOf(sample(body, 'input')) } }),
});

const webhook = (
  type: string,
  { when, sentTo, schema, example }: (typeof events)[keyof typeof events],
): RouteConfig => ({
  method: 'post',
  path: type,
  operationId: `on_${type.replace('.', '_')}`,
  summary: when,
  description: `${when} Sent to ${sentTo}; answer any 2xx within 10 seconds.`,
  tags: ['Webhooks'],
  security: [],
  parameters: Object.keys(deliveryHeaders).map((name) => reference('parameters', componentName(name))),
  request: { body: { required: true, content: { 'application/json': { schema, example } } } },
  responses: {
    '2XX': { description: 'Delivered. Only the status is read' },
    default: {
      description: 'Not delivered: tried again after 1 min, 5 min, 30 min, 2 h, 6 h, 12 h and 24 h, then given up',
    },
  },
});

const tidied = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(tidied);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, tidied(inner)]));
  if (typeof copy.type === 'string' || Array.isArray(copy.type)) tidy(copy);
  // The validator of the page at /docs rejects a schema without a type.
  if (Array.isArray(copy.anyOf) && copy.anyOf.every(isBareType)) {
    copy.type = copy.anyOf.map(({ type }) => type);
    delete copy.anyOf;
  }
  // Each body has its example beside the schema.
  if (copy.type === 'object') delete copy.examples;
  // Some readers reject an empty schema, so `true` says that anything is allowed.
  if (copy.additionalProperties?.constructor === Object && Object.keys(copy.additionalProperties).length === 0)
    copy.additionalProperties = true;
  return copy;
};

const isBareType = (schema: object) => Object.keys(schema).join() === 'type';
