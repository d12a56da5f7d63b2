/** SQL: whether a member's own click publishes, and so also decides requests. Viewers never do. */
export const canPublish = (members: string, workspaces: string) =>
  `(${members}.role in ('owner', 'admin')
    or ${members}.role = 'editor' and (${members}.is_approver or ${workspaces}.publishers = 'editors'))`;
