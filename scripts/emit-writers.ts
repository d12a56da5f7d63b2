import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Declared } from './contracts.ts';
import { pascal } from './print-types.ts';
import { banner, camel, lines } from './text.ts';

type Schema = z.core.JSONSchema.BaseSchema;

/** generated/writers.ts: for each action what writes its answer as JSON, with the declared fields and no others. */
export const emitWriters = (declared: readonly Declared[]) => {
  const written: Found['written'] = new Map();
  const entries = declared.map(({ name, action }) => {
    const { $defs = {}, ...read } = z.toJSONSchema(action.output, { io: 'output', unrepresentable: 'throw' });
    const place = { name: `write${pascal(camel(name))}`, type: `Of<'${name}'>` };
    return `  '${name}': ${writerOf(read, place, { written, defs: $defs })},`;
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
      [...written.values()].map(({ text }) => text),
      'export const writers: Writers<typeof actions> = {',
      entries,
      '};',
    ),
  };
};

interface Place {
  /** Of the function that writes what stands here. */
  readonly name: string;
  /** The TypeScript of what stands here. */
  readonly type: string;
}

interface Found {
  /** The functions, by name. */
  readonly written: Map<string, { readonly schema: Schema; readonly text: string }>;
  readonly defs: Readonly<Record<string, Schema>>;
}

/** An expression whose value is a function that writes such a value. */
const writerOf = (schema: Schema, place: Place, found: Found): string => {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.replace('#/$defs/', '');
    return writerOf(found.defs[name] as Schema, { ...place, name: `write${name}` }, found);
  }
  if (schema.properties !== undefined) return objectWriter(schema, place, found);
  const json = jsonOf(schema, 'it', place, found);
  return /^(\w+)\(it\)$/.exec(json)?.[1] ?? `(it: ${place.type}) => ${json}`;
};

/** An expression that is the JSON of `value`. */
const jsonOf = (schema: Schema, value: string, place: Place, found: Found): string => {
  if (schema.$ref !== undefined || schema.properties !== undefined)
    return `${writerOf(schema, place, found)}(${value})`;
  const { name, type } = place;
  if (schema.type === 'array')
    return `list(${value}, ${writerOf(schema.items as Schema, { name, type: `${type}[number]` }, found)})`;
  if (schema.type === 'object')
    return `record(${value}, ${writerOf(schema.additionalProperties as Schema, { name, type: `${type}[string]` }, found)})`;
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

const objectWriter = (schema: Schema, { name, type }: Place, found: Found) => {
  const { properties = {}, required = [] } = schema;
  const known = found.written.get(name);
  if (known && !isDeepStrictEqual(known.schema, schema)) throw new Error(`two different records are named ${name}`);
  if (known) return name;
  const members = Object.entries(properties).map(([key, value]) => {
    const own = `${type}['${key}']`;
    const isRequired = required.includes(key);
    const place = { name: name + pascal(key), type: isRequired ? own : `NonNullable<${own}>` };
    const member = `',"${key}":' + ${jsonOf(value as Schema, `it.${key}`, place, found)}`;
    return isRequired ? member : `(it.${key} === undefined ? '' : ${member})`;
  });
  const [first = '', ...others] = members;
  // Each begins with a comma, which is one too many.
  const text = first.startsWith("',")
    ? `'{${[first.slice(2), ...others].join(' +\n  ')} +\n  '}'`
    : `'{' + (\n    ${members.join(' +\n    ') || "''"}\n  ).slice(1) + '}'`;
  found.written.set(name, { schema, text: `const ${name} = (it: ${type}) =>\n  ${text};\n` });
  return name;
};
