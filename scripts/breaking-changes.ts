/** The parts of an OpenAPI document that callers with a token and receivers of webhooks build on. */
export interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly webhooks?: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, Schema> };
}

interface Operation {
  readonly operationId: string;
  readonly security?: readonly Record<string, unknown>[];
  readonly parameters?: readonly { name?: string; required?: boolean }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> };
  readonly responses?: Record<string, { readonly content?: Record<string, { readonly schema: Schema }> }>;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Record<string, Schema>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
  readonly [word: string]: unknown;
}

/** Without the routes that only the app uses, which may change at any time. */
export const publicPart = (document: Document): Document => {
  const isPublic = ({ security = [] }: Operation) => security.some((scheme) => 'personalToken' in scheme);
  const paths = Object.fromEntries(
    Object.entries(document.paths).flatMap(([path, methods]) => {
      const publicMethods = Object.entries(methods).filter(([, operation]) => isPublic(operation));
      return publicMethods.length === 0 ? [] : [[path, Object.fromEntries(publicMethods)]];
    }),
  );
  const used = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { $ref } = value as Schema;
    const name = typeof $ref === 'string' ? $ref.replace('#/components/schemas/', '') : undefined;
    if (name !== undefined && document.components.schemas[name] && !used.has(name)) {
      used.add(name);
      visit(document.components.schemas[name]);
    }
    Object.values(value).forEach(visit);
  };
  visit([paths, document.webhooks]);
  const schemas = Object.fromEntries([...used].sort().map((name) => [name, document.components.schemas[name] ?? {}]));
  return withoutTexts({ paths, webhooks: document.webhooks ?? {}, components: { schemas } }) as Document;
};

const textKeys = new Set([
  'summary',
  'description',
  'tags',
  'title',
  'x-codeSamples',
  'example',
  'examples',
  'headers',
]);

/** Drops text that no program reads. A property with such a name holds a schema, so properties are kept. */
const withoutTexts = (value: unknown, isFields = false): unknown => {
  if (Array.isArray(value)) return value.map((one) => withoutTexts(one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => isFields || !textKeys.has(name))
      .map(([name, inner]) => [name, withoutTexts(inner, !isFields && name === 'properties')]),
  );
};

/**
 * Changes that break a client written for `before`. Each is one line, worded exactly as the changelog must declare it.
 */
export const breakingChanges = (before: Document, after: Document): string[] => {
  const changes: string[] = [];
  const operations = (document: Document, block: 'paths' | 'webhooks') =>
    Object.entries(document[block] ?? {}).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation] as const),
    );
  for (const block of ['paths', 'webhooks'] as const) {
    const now = new Map(operations(after, block));
    for (const [place, old] of operations(before, block)) {
      const next = now.get(place);
      if (next === undefined) changes.push(`${old.operationId} is gone`);
      // Webhooks have the opposite direction: we send, and clients read.
      else changes.push(...compare(old, next, before, after, block === 'webhooks' ? 'read' : 'sent'));
    }
  }
  return [...new Set(changes)];
};

type Direction = 'sent' | 'read';

const compare = (old: Operation, next: Operation, before: Document, after: Document, body: Direction): string[] => {
  const name = old.operationId;
  const changes: string[] = [];
  const compareBodies = (place: string, direction: Direction, a: Schema, b: Schema) =>
    changes.push(...compareSchemas(place, direction, a, b, before, after, new Set()));
  for (const [type, { schema }] of Object.entries(old.requestBody?.content ?? {})) {
    const other = next.requestBody?.content[type];
    if (other === undefined) changes.push(`${name} takes no ${type}`);
    else compareBodies(name, body, schema, other.schema);
  }
  for (const { name: parameter, required } of next.parameters ?? []) {
    const oldParameter = old.parameters?.find((one) => one.name === parameter);
    if (parameter && required && !oldParameter?.required) changes.push(`${name} requires ${parameter}`);
  }
  for (const [status, { content = {} }] of Object.entries(old.responses ?? {})) {
    if (!/^2\d\d$/.test(status)) continue;
    for (const [type, { schema }] of Object.entries(content)) {
      const other = next.responses?.[status]?.content?.[type];
      if (other === undefined) changes.push(`${name} answers no ${status} ${type}`);
      else compareBodies(`${name} answer`, 'read', schema, other.schema);
    }
  }
  return changes;
};

const compareSchemas = (
  place: string,
  direction: Direction,
  a: Schema,
  b: Schema,
  before: Document,
  after: Document,
  seen: Set<string>,
): string[] => {
  const pair = `${a.$ref} ${b.$ref} ${direction}`;
  if (a.$ref && b.$ref) {
    if (seen.has(pair)) return [];
    seen.add(pair);
  }
  const old = resolved(a, before);
  const next = resolved(b, after);
  const inner = (where: string, one: Schema, other: Schema) =>
    compareSchemas(`${place}.${where}`, direction, one, other, before, after, seen);
  const changes: string[] = [];
  if (typeOf(old) !== '' && typeOf(old) !== typeOf(next)) changes.push(`${place} is another type`);
  changes.push(
    ...compareValues(place, direction, old, next),
    ...(direction === 'sent' ? narrower(place, old, next) : []),
  );
  for (const [field, schema] of Object.entries(old.properties ?? {})) {
    const other = next.properties?.[field];
    if (other === undefined) changes.push(`${place}.${field} is gone`);
    else changes.push(...inner(field, schema, other));
  }
  for (const field of next.required ?? []) {
    if (direction === 'sent' && !old.required?.includes(field)) changes.push(`${place}.${field} is required`);
  }
  for (const field of old.required ?? []) {
    if (direction === 'read' && next.properties?.[field] && !next.required?.includes(field))
      changes.push(`${place}.${field} may be absent`);
  }
  if (old.items && next.items) changes.push(...inner('[]', old.items, next.items));
  return changes;
};

/** The type or types of a schema, given by `type` or `anyOf`. */
const typeOf = ({ type, anyOf = [] }: Schema): string =>
  type === undefined ? anyOf.map((member) => String(member.type ?? '')).join() : String(type);

const resolved = (schema: Schema, document: Document): Schema => {
  const name = schema.$ref?.replace('#/components/schemas/', '');
  return name === undefined ? schema : resolved(document.components.schemas[name] ?? {}, document);
};

/** Values that clients send must stay accepted. Values they read may be extended, as the API reference announces. */
const compareValues = (place: string, direction: Direction, old: Schema, next: Schema): string[] => {
  if (direction === 'read' || next.enum === undefined) return [];
  if (old.enum === undefined) return [`${place} takes certain values alone`];
  return old.enum.filter((value) => !next.enum?.includes(value)).map((value) => `${place} no longer takes ${value}`);
};

const narrower = (place: string, old: Schema, next: Schema): string[] => {
  const number = (schema: Schema, word: string, otherwise: number) =>
    typeof schema[word] === 'number' ? (schema[word] as number) : otherwise;
  const most = ['maxLength', 'maxItems', 'maximum'].filter(
    (word) => number(next, word, Infinity) < number(old, word, Infinity),
  );
  const least = ['minLength', 'minItems', 'minimum'].filter(
    (word) => number(next, word, -Infinity) > number(old, word, -Infinity),
  );
  return [...most, ...least].map((word) => `${place} has another ${word}`);
};

/** The texts in backticks on the lines below `### Breaking` in the section `## Unreleased`. */
export const declaredIn = (changelog: string): string[] => {
  const [, unreleased = ''] = /^## Unreleased\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(changelog) ?? [];
  const [, breaking = ''] = /^### Breaking\n([\s\S]*?)(?=^##|(?![\s\S]))/m.exec(unreleased) ?? [];
  return [...breaking.matchAll(/^- `([^`]+)`/gm)].map(([, text = '']) => text);
};
