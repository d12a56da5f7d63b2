import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { DeclaredAction } from './contracts.ts';
import { pascal } from './print-types.ts';
import { banner, camel, lines } from './text.ts';

type Schema = z.core.JSONSchema.BaseSchema;

/** generated/writers.ts: a JSON serializer per action, which writes only the declared fields. */
export const emitWriters = (declared: readonly DeclaredAction[]) => {
  const writers: WriterContext['writers'] = new Map();
  const entries = declared.map(({ name, action }) => {
    const { $defs = {}, ...read } = z.toJSONSchema(action.output, { io: 'output', unrepresentable: 'throw' });
    const place = { name: `write${pascal(camel(name))}`, type: `Of<'${name}'>` };
    return `  '${name}': ${writerOf(read, place, { writers, defs: $defs })},`;
  });
  return {
    'generated/writers.ts': lines(
      banner,
      "import type { Output } from '#server/context';",
      "import type { Writers } from '#server/admission';",
      "import { list, number, plain, record, text, truth } from '#server/json/write-json';",
      "import type { ActionName, actions } from './catalog.ts';",
      '',
      'type Of<Name extends ActionName> = Output<(typeof actions)[Name]>;',
      '',
      [...writers.values()].map(({ text }) => text),
      'export const writers: Writers<typeof actions> = {',
      entries,
      '};',
    ),
  };
};

interface Place {
  /** The name of the function that writes this value. */
  readonly name: string;
  /** The TypeScript type of this value. */
  readonly type: string;
}

interface WriterContext {
  /** Generated functions, by name. */
  readonly writers: Map<string, { readonly schema: Schema; readonly text: string }>;
  readonly defs: Readonly<Record<string, Schema>>;
}

/** An expression for a function that writes such a value. */
const writerOf = (schema: Schema, place: Place, context: WriterContext): string => {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.replace('#/$defs/', '');
    return writerOf(context.defs[name] as Schema, { ...place, name: `write${name}` }, context);
  }
  if (schema.properties !== undefined) return objectWriter(schema, place, context);
  const json = jsonOf(schema, 'it', place, context);
  return /^(\w+)\(it\)$/.exec(json)?.[1] ?? `(it: ${place.type}) => ${json}`;
};

/** An expression for the JSON of `value`. */
const jsonOf = (schema: Schema, value: string, place: Place, context: WriterContext): string => {
  if (schema.$ref !== undefined || schema.properties !== undefined)
    return `${writerOf(schema, place, context)}(${value})`;
  const { name, type } = place;
  if (schema.type === 'array')
    return `list(${value}, ${writerOf(schema.items as Schema, { name, type: `${type}[number]` }, context)})`;
  if (schema.type === 'object')
    return `record(${value}, ${writerOf(schema.additionalProperties as Schema, { name, type: `${type}[string]` }, context)})`;
  const types = [schema, ...((schema.anyOf ?? schema.oneOf ?? []) as Schema[])].flatMap(({ type }) => type ?? []);
  const [write = '', ...others] = new Set(types.map((type) => writerOfType[type] ?? ''));
  if (write !== '' && !others.includes('')) return `${others.length === 0 ? write : 'plain'}(${value})`;
  throw new Error(`nothing writes ${JSON.stringify(schema)}`);
};

const writerOfType: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'truth',
};

const objectWriter = (schema: Schema, { name, type }: Place, context: WriterContext) => {
  const { properties = {}, required = [] } = schema;
  const existing = context.writers.get(name);
  if (existing && !isDeepStrictEqual(existing.schema, schema)) throw new Error(`two different records are named ${name}`);
  if (existing) return name;
  const members = Object.entries(properties).map(([key, value]) => {
    const own = `${type}['${key}']`;
    const isRequired = required.includes(key);
    const place = { name: name + pascal(key), type: isRequired ? own : `NonNullable<${own}>` };
    const member = `',"${key}":' + ${jsonOf(value as Schema, `it.${key}`, place, context)}`;
    return isRequired ? member : `(it.${key} === undefined ? '' : ${member})`;
  });
  const [first = '', ...others] = members;
  // Each member begins with a comma, and the first one must not.
  const text = first.startsWith("',")
    ? `'{${[first.slice(2), ...others].join(' +\n  ')} +\n  '}'`
    : `'{' + (\n    ${members.join(' +\n    ') || "''"}\n  ).slice(1) + '}'`;
  context.writers.set(name, { schema, text: `const ${name} = (it: ${type}) =>\n  ${text};\n` });
  return name;
};
