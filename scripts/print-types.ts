import { z } from 'zod';
import type { ClosedSets } from './closed-sets.ts';

type Schema = z.core.JSONSchema.BaseSchema;

/** A doc comment. Contract texts may contain the end marker, so it is escaped. */
export const doc = (...lines: (string | undefined)[]): string => {
  const text = lines
    .filter((line) => line !== undefined)
    .join('\n')
    .replaceAll('*/', '*\\/');
  if (text === '') return '';
  if (!text.includes('\n')) return `/** ${text} */\n`;
  return `/**\n${text.replace(/^/gm, ' * ').replace(/ +$/gm, '')}\n */\n`;
};

export const pascal = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const indent = (text: string): string => text.replace(/^(?=.)/gm, '  ');

export const wrap = (text: string): string => text.replace(/(.{1,110})(?: +|$)/g, '$1\n').trimEnd();

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replace(/['\\]/g, '\\$&')}'` : JSON.stringify(value);

const property = (name: string): string => (/^[a-z_$][\w$]*$/i.test(name) ? name : literal(name));

const isInstant = ({ format, anyOf = [] }: Schema): boolean =>
  format === 'date-time' || anyOf.some((member) => isInstant(member as Schema));

const about = (schema: Schema): string => {
  const notes = [
    ...(isInstant(schema) ? ['ISO-8601'] : []),
    ...(schema.default === undefined ? [] : [`default \`${literal(schema.default)}\``]),
  ];
  return [schema.description ?? '', ...(notes.length > 0 ? [`(${notes.join(', ')})`] : [])].join(' ').trim();
};

/** Prints zod schemas as TypeScript. Schemas with an id become interfaces of that name, collected in `named`. */
export class TypePrinter {
  readonly named = new Map<string, string>();
  readonly #closed: ClosedSets;

  constructor(closed: ClosedSets = {}) {
    this.#closed = closed;
  }

  /** The type for a signature: a name, or the type itself. */
  type(schema: z.ZodType, io: 'input' | 'output'): string {
    return this.#print(this.#read(schema, io));
  }

  /** A declaration under this name, or the name of the record the schema already is. */
  declare(name: string, schema: z.ZodType, io: 'input' | 'output', description: string): string {
    const read = this.#read(schema, io);
    if (read.$ref !== undefined) return this.#print(read);
    this.#name(name, { ...read, description });
    return name;
  }

  /** One input type with the fields of several schemas. A file is a Blob. */
  declareTogether(name: string, schemas: readonly z.ZodObject[], description: string): string {
    const read = schemas.map((schema) => this.#read(schema, 'input'));
    const [only] = read;
    if (read.length === 1 && only?.$ref !== undefined) return this.#print(only);
    this.#name(name, {
      type: 'object',
      properties: Object.assign({}, ...read.map(({ properties }) => properties)),
      required: read.flatMap(({ required = [] }) => required),
      description,
    });
    return name;
  }

  #read(schema: z.ZodType, io: 'input' | 'output'): Schema {
    const { $defs = {}, ...read } = z.toJSONSchema(schema, { io, unrepresentable: 'throw' });
    for (const [name, definition] of Object.entries($defs)) this.#name(name, definition);
    return read;
  }

  #name(name: string, schema: Schema): void {
    const values = this.#closed[name];
    const type = values ? values.map(literal).join(' | ') : this.#print(schema);
    const isObject = schema.properties !== undefined && Object.keys(schema.properties).length > 0;
    const text =
      doc(schema.description) + `export ${isObject ? `interface ${name} ${type}` : `type ${name} = ${type};`}\n`;
    if (this.named.has(name) && this.named.get(name) !== text) throw new Error(`two different types are named ${name}`);
    this.named.set(name, text);
  }

  #print(schema: Schema): string {
    if (schema.$ref !== undefined) return schema.$ref.replace('#/$defs/', '');
    if (schema.const !== undefined) return literal(schema.const);
    if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
    const members = schema.anyOf ?? schema.oneOf;
    if (members !== undefined) return this.#union(members as Schema[]);
    if (Array.isArray(schema.type)) return this.#union(schema.type.map((type) => ({ type })));
    if (schema.format === 'binary') return 'Blob';
    switch (schema.type) {
      case 'string':
      case 'number':
      case 'boolean':
      case 'null':
        return schema.type;
      case 'integer':
        return 'number';
      case 'array':
        return this.#array(schema.items as Schema);
      case 'object':
        return this.#object(schema);
      default:
        if (schema.type === undefined && schema.allOf === undefined) return 'unknown';
        throw new Error(`no TypeScript for ${JSON.stringify(schema)}`);
    }
  }

  /** `'' | string` says no more than `string`. */
  #union(members: Schema[]): string {
    const types = [...new Set(members.map((member) => this.#print(member)))];
    return types.filter((type) => !(type.startsWith("'") && types.includes('string'))).join(' | ');
  }

  #array(items: Schema): string {
    const type = this.#print(items);
    return /^\w+$/.test(type) ? `${type}[]` : `Array<${type}>`;
  }

  #object({ properties = {}, required = [], additionalProperties }: Schema): string {
    const fields = Object.entries(properties as Record<string, Schema>);
    if (fields.length === 0 && typeof additionalProperties === 'object')
      return `Record<string, ${this.#print(additionalProperties)}>`;
    if (fields.length === 0) return 'Record<string, never>';
    const printed = fields.map(
      ([name, field]) =>
        doc(about(field)) + `${property(name)}${required.includes(name) ? '' : '?'}: ${this.#print(field)};`,
    );
    const line = `{ ${printed.join(' ').slice(0, -1)} }`;
    const fitsOneLine = line.length <= 80 && !/\n|\/\*/.test(line);
    return fitsOneLine ? line : `{\n${indent(printed.join('\n'))}\n}`;
  }
}
