/** SPEC, Authentication: what an access token of an MCP client may ask for. A personal token has them all. */
export const scopes = {
  'posts:read': 'Read posts, accounts, media, limits and statistics',
  'posts:write': 'Create and edit drafts',
  'posts:publish': 'Ask to schedule, publish or delete posts; a human approves each request',
  'accounts:manage': 'Ask to disconnect an account; a human approves each request',
} as const;

export type Scope = keyof typeof scopes;

/** DECISIONS, Roles: each role may do what the roles after it may do. */
export const roles = ['owner', 'admin', 'editor', 'viewer'] as const;
export type Role = (typeof roles)[number];

/** Who publishes in a workspace: whoever edits, or owners, admins and named members. */
export const publisherChoices = ['editors', 'approvers'] as const;
export type Publishers = (typeof publisherChoices)[number];

export const everyone = roles;
export const editors = ['owner', 'admin', 'editor'] as const satisfies readonly Role[];
export const admins = ['owner', 'admin'] as const satisfies readonly Role[];
