import { z } from 'zod';
import { textBounds } from './bounds.ts';
import { appRoute, byId, Done, Id, isOneLine, type Route } from './define.ts';
import { editors, everyone } from './scopes.ts';

/** Names of the palette that the app draws with. Brass is not among them: it means that something goes out. */
export const labelColors = ['grey', 'blue', 'green', 'orange', 'red', 'plum'] as const;
export type LabelColor = (typeof labelColors)[number];

export const LabelName = z
  .string()
  .transform((text) => text.replace(/\s+/g, ' ').trim())
  .pipe(
    z
      .string()
      .min(1)
      .max(textBounds.labelCharacters)
      .refine(isOneLine, 'must be one line of plain text')
      .refine((text) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(text), 'must have a letter, a digit or a sign that can be seen'),
  )
  .describe('One line, unique in the workspace whatever its case');
const Color = z.enum(labelColors).describe('How the app shows it');

export const Label = z
  .object({
    id: z.string().describe('Label id, prefix `label_`'),
    name: z.string().describe('One line of at most 40 characters'),
    color: Color,
    posts: z.int().describe('How many posts have it'),
  })
  .meta({ id: 'Label', description: 'A name to sort posts by. Networks never see it' });
export type Label = z.output<typeof Label>;

const LabelIds = z.array(Id).max(100).default([]);

export const labelRoutes = {
  listLabels: appRoute({
    method: 'GET',
    path: '/api/app/labels',
    tag: 'Labels',
    summary: 'List the labels',
    description: 'All labels of the workspace, by name.',
    roles: everyone,
    answer: z.object({ labels: z.array(Label).describe('By name') }),
  }),

  addLabel: appRoute({
    method: 'POST',
    path: '/api/app/labels',
    tag: 'Labels',
    summary: 'Create a label',
    description: 'For all members of the workspace.',
    roles: editors,
    body: z.strictObject({ name: LabelName, color: Color.default('grey') }),
    answer: Label,
    more: ['Conflict'],
  }),

  changeLabel: appRoute({
    method: 'PATCH',
    path: '/api/app/labels/:id',
    tag: 'Labels',
    summary: 'Change a label',
    description: 'Its name or its color, on every post that has it.',
    roles: editors,
    params: byId('Label id'),
    body: z.strictObject({ name: LabelName.optional(), color: Color.optional() }),
    answer: Label,
    more: ['NotFound', 'Conflict'],
  }),

  deleteLabel: appRoute({
    method: 'DELETE',
    path: '/api/app/labels/:id',
    tag: 'Labels',
    summary: 'Delete a label',
    description: 'Its posts stay and lose the label.',
    roles: editors,
    params: byId('Label id'),
    answer: Done,
    more: ['NotFound'],
  }),

  getPostLabels: appRoute({
    method: 'GET',
    path: '/api/app/posts/:id/labels',
    tag: 'Labels',
    summary: 'Read the labels of a post',
    description: 'Their ids; the labels themselves are in listLabels.',
    roles: everyone,
    params: byId('Post id'),
    answer: z.object({ labelIds: z.array(z.string()).describe('By the name of the label') }),
    more: ['NotFound'],
  }),

  labelPosts: appRoute({
    method: 'POST',
    path: '/api/app/posts/labels',
    tag: 'Labels',
    summary: 'Label posts',
    description:
      'Adds labels to posts and removes others, whatever the status of the posts. The posts themselves do not change.',
    roles: editors,
    body: z.strictObject({
      postIds: z.array(Id).min(1).max(100).describe('Posts of the open workspace'),
      add: LabelIds.describe('Labels to add to all of them'),
      remove: LabelIds.describe('Labels to remove from all of them'),
    }),
    answer: Done,
    more: ['Conflict'],
  }),
} as const satisfies Record<string, Route>;
export type LabelRoutes = typeof labelRoutes;
