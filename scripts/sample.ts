import { z } from 'zod';

type Schema = z.core.JSONSchema.BaseSchema;

/** Sample values by field name; the first match wins. */
const byName: readonly [RegExp, string][] = [
  [/^(postId|postIds)$/, 'post_01JCQ4B2C3D4E5F6G7H8J9K0M1'],
  [/^(accountId|accountIds)$/, 'acct_01JCQ2X7M8T9V0W1X2Y3Z4A5B6'],
  [/^workspaceId$/, 'ws_01JCQ2W6K7S8T9V0W1X2Y3Z4A5'],
  [/^userId$/, 'usr_01JCQ2V5J6R7S8T9V0W1X2Y3Z4'],
  [/^(labelId|labelIds)$/, 'label_01JCQ6D4E5F6G7H8J9K0M1N2P3'],
  [/(^|[a-z])(At|from|to|since|until)$/, '2026-11-15T09:30:00.000000Z'],
  [/(url|uri|next|endpoint)$/i, 'https://posts.example.com/posts/post_01JCQ4B2C3D4E5F6G7H8J9K0M1'],
  [/email$/i, 'anna@example.com'],
  [/timeZone$/i, 'Europe/Berlin'],
  [/colou?r$/i, '#0A73D1'],
  [/^p256dh$/, 'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM'],
  [/^auth$/, 'tBHItJI5svbpez7KI4CCXg'],
  [/^time$/, '09:30'],
  [/^date$|^day$/, '2026-11-15'],
  [/^network$/, 'bluesky'],
  [/^provider$/, 'Bluesky'],
  [/^handle$/, 'anna.bsky.social'],
  [/fileName$/, 'posts.csv'],
  [/name$/i, 'Anna Example'],
  [/cursor$/i, 'eyJpZCI6InBvc3QifQ'],
  [/mimeType$/, 'image/jpeg'],
  [/password$/i, 'correct horse battery'],
  [/^(body|text|sentence|message|title)$/, 'Posthorn is here'],
  [/id$/i, '01JCQ4B2C3D4E5F6G7H8J9K0M1'],
];

const aboutInstant = /ISO-8601 instant/;

/**
 * A sample value for a schema, or undefined when no generated value is valid: then add `.meta({ examples: [...] })` to the
 * field, which a test enforces. `known` has examples from the contracts, by schema id.
 */
export const createSampler = (examplesById: Readonly<Record<string, unknown>>) => {
  const sample = (schema: z.ZodType, io: 'input' | 'output'): unknown => {
    const { $defs = {}, ...root } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
    const value = of(root, '', $defs as Record<string, Schema>);
    return schema.safeParse(value).success ? value : undefined;
  };

  const of = (schema: Schema, name: string, defs: Record<string, Schema>): unknown => {
    if (schema.$ref !== undefined) {
      const id = schema.$ref.replace('#/$defs/', '');
      return id in examplesById ? examplesById[id] : of(defs[id] ?? {}, name, defs);
    }
    if (Array.isArray(schema.examples)) return schema.examples[0];
    if (schema.const !== undefined) return schema.const;
    if (schema.enum !== undefined) return schema.enum[0];
    if (schema.default !== undefined && schema.type !== 'string') return schema.default;
    const [member] = (schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []) as Schema[];
    if (member !== undefined) return of({ ...member, description: schema.description ?? '' }, name, defs);
    switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
      case 'string':
        return text(schema, name);
      case 'integer':
      case 'number':
        return Math.max(schema.minimum ?? 1, 1);
      case 'boolean':
        return true;
      case 'array':
        return [of(schema.items as Schema, name.replace(/s$/, ''), defs)];
      case 'object':
        return object(schema, defs);
      default:
        return {};
    }
  };

  const object = ({ properties = {}, additionalProperties }: Schema, defs: Record<string, Schema>) => {
    const fields = Object.entries(properties as Record<string, Schema>);
    if (fields.length === 0 && typeof additionalProperties === 'object')
      return { 'bluesky.reply_control': of(additionalProperties, 'value', defs) };
    return Object.fromEntries(fields.map(([field, inner]) => [field, of(inner, field, defs)]));
  };

  return sample;
};

const text = ({ description = '', minLength = 0, maxLength = Infinity, format }: Schema, name: string): string => {
  const [, prefix] = /prefix `(\w+_)`/.exec(description) ?? [];
  if (prefix) return `${prefix}01JCQ4B2C3D4E5F6G7H8J9K0M1`;
  if (format === 'date-time' || aboutInstant.test(description)) return '2026-11-15T09:30:00.000000Z';
  const value = byName.find(([pattern]) => pattern.test(name))?.[1] ?? 'text';
  return value.padEnd(minLength, 'x').slice(0, maxLength);
};
