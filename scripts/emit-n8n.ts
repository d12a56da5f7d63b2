import { z } from 'zod';
import { events } from '#contracts/events';
import type { ClosedSets } from './closed-sets.ts';
import type { DeclaredAction } from './contracts.ts';
import { commandOf } from './emit-commands.ts';
import { banner, compactJson } from './text.ts';

/** Names in n8n's interface that differ from the domain name. */
const resourceNames: Readonly<Record<string, string>> = { ui: 'Open page' };

/** packages/n8n/generated/: what the nodes of n8n offer. Plain JavaScript, so that the folder is packed as it is. */
export const emitN8n = (actions: readonly DeclaredAction[], closed: ClosedSets): Record<string, string> => {
  const commands = actions.map((one) => ({
    ...commandOf(one, closed),
    domain: one.domain,
    verb: one.verb,
    lists: listsOf(one.action.output),
    isPaged: 'cursor' in one.action.input.shape,
  }));
  return {
    'packages/n8n/generated/actions.js': emitModule({
      actions: commands.map(({ name, retry, lists, fields }) => ({
        name,
        ...(retry === 'WithKey' && { takesKey: true }),
        ...(lists.length > 0 && { lists }),
        fields: fields.map(({ name: field, type, required }) => ({ name: field, type, required })),
      })),
      properties: propertiesOf(commands),
    }),
    'packages/n8n/generated/events.js': emitModule({
      events: Object.entries(events).map(([type, { when }]) => ({ name: type, value: type, description: when })),
    }),
  };
};

type Operation = ReturnType<typeof commandOf> &
  Pick<DeclaredAction, 'domain' | 'verb'> & { lists: readonly string[]; isPaged: boolean };

/** Fields of a list response other than its entries. */
const besideEntries = new Set(['nextCursor', 'requests', 'upload']);

/** The list fields of a response that contains only lists. Each entry becomes an item of the workflow. */
const listsOf = ({ shape }: DeclaredAction['action']['output']): string[] => {
  const fields = Object.entries(shape).filter(([name]) => !besideEntries.has(name));
  const isList = ([, schema]: [string, unknown]) =>
    (schema instanceof z.ZodOptional ? schema.unwrap() : schema) instanceof z.ZodArray;
  return fields.every(isList) ? fields.map(([name]) => name) : [];
};

const emitModule = (values: object) => `${banner}
module.exports = ${compactJson(values).trim()};
`;

const propertiesOf = (operations: readonly Operation[]) => {
  const domains = [...new Set(operations.map(({ domain }) => domain))];
  return [
    {
      displayName: 'Resource',
      name: 'resource',
      type: 'options',
      noDataExpression: true,
      options: domains.map((value) => ({ name: resourceNames[value] ?? capitalized(value), value })),
      default: 'posts',
    },
    ...domains.map((domain) => operationProperty(domain, operations)),
    ...operations.flatMap(fieldProperties),
    ...uploadProperties,
  ];
};

const operationProperty = (domain: string, operations: readonly Operation[]) => {
  const options = operations
    .filter((one) => one.domain === domain)
    .map(({ verb, summary, description }) => ({ name: summary, value: verb, action: summary, description }));
  return {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: [domain] } },
    options: [...options, ...(domain === 'media' ? [uploadOperation] : [])],
    default: domain === 'posts' ? 'create' : (options[0]?.value ?? ''),
  };
};

/** n8n shows optional fields only once somebody adds them. */
const fieldProperties = ({ domain, verb, retry, isPaged, fields }: Operation) => {
  const displayOptions = { show: { resource: [domain], operation: [verb] } };
  const optional = fields.filter(({ name, required }) => !required && name !== 'cursor').map(propertyOf);
  return [
    ...(isPaged ? [{ ...returnAllProperty, displayOptions }] : []),
    ...fields
      .filter(({ required }) => required)
      .map((field) => ({ ...propertyOf(field), required: true, displayOptions })),
    ...(optional.length === 0
      ? []
      : [
          {
            displayName: 'Fields',
            name: 'fields',
            type: 'collection',
            placeholder: 'Add field',
            default: {},
            displayOptions,
            options: optional,
          },
        ]),
    ...(retry === 'WithKey' ? [{ ...optionsProperty, displayOptions }] : []),
  ];
};

/** Replaces the cursor field. */
const returnAllProperty = {
  displayName: 'Return All',
  name: 'returnAll',
  type: 'boolean',
  default: false,
  description: 'Whether to return all entries instead of one page of them',
};

const optionsProperty = {
  displayName: 'Options',
  name: 'options',
  type: 'collection',
  placeholder: 'Add option',
  default: {},
  options: [
    {
      displayName: 'Idempotency Key',
      name: 'idempotencyKey',
      type: 'string',
      default: '',
      description:
        'Within 24 hours a call with the same key and input does nothing and returns the first answer. By default each item of an execution has its own, so that Retry On Fail repeats nothing.',
    },
  ],
};

type N8nField = Operation['fields'][number];

const propertyOf = (field: N8nField) => ({
  displayName: titleOf(field.name),
  name: field.name,
  description: field.about,
  ...inputOf(field),
});

const accountOptions = { typeOptions: { loadOptionsMethod: 'getAccounts' } };

const inputOf = ({ name, type, choices }: N8nField) => {
  if (choices)
    return { type: 'options', options: choices.map((value) => ({ name: value, value })), default: choices[0] };
  if (name === 'accountIds') return { type: 'multiOptions', ...accountOptions, default: [] };
  if (name === 'accountId') return { type: 'options', ...accountOptions, default: '' };
  if (type === 'number') return { type: 'number', default: 0 };
  if (type === 'boolean') return { type: 'boolean', default: false };
  if (type === 'json') return { type: 'json', default: '[]' };
  const isText = name === 'body';
  return { type: 'string', default: '', ...(isText && { typeOptions: { rows: 4 } }) };
};

const uploadOperation = {
  name: 'Upload a file',
  value: 'upload',
  action: 'Upload a file',
  description: 'Adds an image, video or PDF to the media library. Its id goes into the media list of a post.',
};

const onUpload = { displayOptions: { show: { resource: ['media'], operation: ['upload'] } } };
const uploadProperties = [
  {
    displayName: 'Binary Property',
    name: 'binaryProperty',
    type: 'string',
    default: 'data',
    required: true,
    description: 'Property of the item that has the file',
    ...onUpload,
  },
  {
    displayName: 'Alternative Text',
    name: 'alt',
    type: 'string',
    default: '',
    description: 'What the image or video shows, for people who cannot see it',
    ...onUpload,
  },
  { ...optionsProperty, ...onUpload },
];

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** baseUpdatedAt → Base Updated At */
const titleOf = (name: string) => capitalized(name.replace(/[A-Z]/g, ' $&'));
