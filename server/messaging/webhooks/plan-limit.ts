import { quantity } from '#server/base/quantity';

/** How many webhooks the plan of a workspace covers. */
export type AllowedWebhooks = (plan: string, workspaceId: string) => number;

export const beyondPlan = (allowed: number) =>
  `The plan of this workspace covers ${quantity(allowed, 'webhook')}, and the oldest keep working. Move to a larger plan, or delete an older webhook.`;
