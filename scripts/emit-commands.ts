import { z } from 'zod';
import type { Field } from '#scripts/call/command';
import type { ClosedSets } from './closed-sets.ts';
import type { DeclaredAction } from './contracts.ts';
import { retryOf } from './emit-sdk.ts';
import { banner, compactJson } from './text.ts';

type Schema = z.core.JSONSchema.BaseSchema;

/** accountIds → account-ids */
const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** generated/commands.ts: every action with its fields, for `posthorn call`. Without schemas, because the server validates. */
export const emitCommands = (actions: readonly DeclaredAction[], closed: ClosedSets) => ({
  'generated/commands.ts': `${banner}
import type { Command } from '#scripts/call/command';

export const commands: readonly Command[] = ${compactJson(actions.map((one) => commandOf(one, closed))).trim()};
`,
});

export const commandOf = ({ name, action }: DeclaredAction, closed: ClosedSets) => {
  const {
    properties = {},
    required = [],
    $defs = {},
  } = z.toJSONSchema(action.input, { io: 'input', unrepresentable: 'throw' });
  return {
    name,
    summary: action.summary,
    description: action.description,
    kind: action.kind,
    retry: retryOf[action.kind],
    fields: Object.entries(properties as Record<string, Schema>).map(([field, schema]) => {
      const id = schema.$ref?.replace('#/$defs/', '') ?? '';
      const read = ($defs[id] as Schema | undefined) ?? schema;
      const choices = closed[id] ?? (read.enum as string[] | undefined);
      return {
        name: field,
        flag: kebab(field),
        type: typeOf(read),
        required: required.includes(field),
        about: read.description ?? '',
        ...(choices && { choices }),
      };
    }),
  };
};

const typeOf = ({ type, items, anyOf }: Schema): Field['type'] => {
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'boolean') return 'boolean';
  if (type === 'array' && (items as Schema).type === 'string') return 'list';
  return type === 'string' || anyOf !== undefined ? 'text' : 'json';
};
