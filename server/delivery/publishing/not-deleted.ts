/** Nothing is published from a workspace that waits to be deleted. */
export const isNotDeleted = `workspace_id <> all(array(select id from workspaces where delete_at is not null))`;
