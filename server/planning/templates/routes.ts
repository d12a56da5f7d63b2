import type { TemplateRoutes } from '#contracts/templates';
import type { RouteHandlers } from '#server/base/context';
import type { Templates } from './templates.ts';

export const templateRoutes = ({ templates }: { templates: Templates }): RouteHandlers<TemplateRoutes> => ({
  listTemplates: async ({ caller }) => ({ templates: await templates.list(caller) }),
  getTemplate: ({ caller, params }) => templates.get(caller, params.id),
  addTemplate: ({ caller, body }) => templates.add(caller, body),
  changeTemplate: ({ caller, params, body: { name, items, options } }) =>
    templates.change(caller, params.id, {
      ...(name !== undefined && { name }),
      ...(items && { items }),
      ...(options && { options }),
    }),
  deleteTemplate: async ({ caller, params }) => {
    await templates.remove(caller, params.id);
    return { done: true };
  },
});
