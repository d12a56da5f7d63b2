/** SQL: whether a member may publish without approval, and so also decide approval requests. Viewers never may. */
export const canPublish = (members: string, workspaces: string) =>
  `(${members}.role in ('owner', 'admin')
    or ${members}.role = 'editor' and (${members}.is_approver or ${workspaces}.publishers = 'editors'))`;
