import type { LabelRoutes } from '#contracts/labels';
import type { RouteHandlers } from '#server/base/context';
import type { Labels } from './labels.ts';

export const labelRoutes = ({ labels }: { labels: Labels }): RouteHandlers<LabelRoutes> => ({
  listLabels: async ({ caller }) => ({ labels: await labels.list(caller) }),
  addLabel: ({ caller, body }) => labels.add(caller, body),
  changeLabel: ({ caller, params, body }) => labels.change(caller, params.id, body),
  deleteLabel: async ({ caller, params }) => {
    await labels.remove(caller, params.id);
    return { done: true };
  },
  getPostLabels: async ({ caller, params }) => ({ labelIds: await labels.ofPost(caller, params.id) }),
  labelPosts: async ({ caller, body }) => {
    await labels.assign(caller, body);
    return { done: true };
  },
});
