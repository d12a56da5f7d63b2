import { z } from 'zod';
import { textBounds } from './bounds.ts';
import { appRoute, byId, CanonicalInstant, Done, isOneLine, type Route } from './define.ts';
import { editors, everyone } from './scopes.ts';

export const templateKinds = ['Text', 'Signature'] as const;
export type TemplateKind = (typeof templateKinds)[number];

const nameMeaning = 'What people find it by, one line';
const Name = z
  .string()
  .transform((text) => text.replace(/\s+/g, ' ').trim())
  .pipe(z.string().min(1).max(textBounds.templateNameCharacters).refine(isOneLine, 'must be one line of plain text'))
  .describe(nameMeaning);
const itemsMeaning = 'The items in order; a thread has several, a signature has one';
const optionsMeaning = 'Network options by key, see providers.limits; a signature has none';
const Kind = z.enum(templateKinds).describe('Text begins a post; Signature goes to the end of one');
const TemplateId = z.string().describe('Template id, prefix `tmpl_`');

const Items = z
  .array(z.string().max(textBounds.templateCharacters))
  .min(1)
  .max(textBounds.items)
  .describe(itemsMeaning);
const Options = z
  .record(z.string().max(textBounds.idCharacters), z.string().max(textBounds.optionCharacters))
  .describe(optionsMeaning);

export const Template = z
  .object({
    id: TemplateId,
    kind: Kind,
    name: z.string().describe(nameMeaning),
    items: z.array(z.string()).describe(itemsMeaning),
    options: z.record(z.string(), z.string()).describe(optionsMeaning),
    updatedAt: CanonicalInstant,
  })
  .meta({ id: 'Template', description: 'Text to reuse' });
export type Template = z.output<typeof Template>;

export const TemplateSummary = z
  .object({
    id: TemplateId,
    kind: Kind,
    name: z.string().describe(nameMeaning),
    text: z.string().describe('The beginning of its first item, at most 200 characters'),
    items: z.int().describe('How many items it has'),
    options: z.int().describe('How many options it sets'),
  })
  .meta({ id: 'TemplateSummary', description: 'A template in one line' });
export type TemplateSummary = z.output<typeof TemplateSummary>;

export const templateRoutes = {
  listTemplates: appRoute({
    method: 'GET',
    path: '/api/app/templates',
    tag: 'Templates',
    summary: 'List the templates',
    description: 'All templates and signatures of the workspace.',
    roles: everyone,
    answer: z.object({ templates: z.array(TemplateSummary).describe('Texts, then signatures, each by name') }),
  }),

  getTemplate: appRoute({
    method: 'GET',
    path: '/api/app/templates/:id',
    tag: 'Templates',
    summary: 'Read a template',
    description: 'With its whole text and its options.',
    roles: everyone,
    params: byId('Template id'),
    answer: Template,
    more: ['NotFound'],
  }),

  addTemplate: appRoute({
    method: 'POST',
    path: '/api/app/templates',
    tag: 'Templates',
    summary: 'Create a template',
    description: 'For all members of the workspace. Media are not part of it.',
    roles: editors,
    body: z.strictObject({
      kind: Kind.default('Text'),
      name: Name,
      items: Items,
      options: Options.default({}),
    }),
    idempotent: true,
    answer: Template,
    more: ['Conflict'],
  }),

  changeTemplate: appRoute({
    method: 'PATCH',
    path: '/api/app/templates/:id',
    tag: 'Templates',
    summary: 'Change a template',
    description: 'Fields left out stay as they are. Posts that it was inserted into stay as they are.',
    roles: editors,
    params: byId('Template id'),
    body: z.strictObject({ name: Name.optional(), items: Items.optional(), options: Options.optional() }),
    answer: Template,
    more: ['NotFound'],
  }),

  deleteTemplate: appRoute({
    method: 'DELETE',
    path: '/api/app/templates/:id',
    tag: 'Templates',
    summary: 'Delete a template',
    description: 'Posts that it was inserted into stay as they are.',
    roles: editors,
    params: byId('Template id'),
    answer: Done,
    more: ['NotFound'],
  }),
} as const satisfies Record<string, Route>;
export type TemplateRoutes = typeof templateRoutes;
