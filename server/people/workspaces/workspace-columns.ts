export const workspaceColumns = `w.id, w.name, w.statistics_tools, w.publishers, w.approval_passkey, w.two_factors, w.delete_at,
  w.delete_asked_by`;
