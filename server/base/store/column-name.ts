/** `workspace_id` → `workspaceId`: the property of a row that has this column of a result. */
export const propertyOf = (column: string) =>
  column.replace(/_([a-z\d])/g, (_, letter: string) => letter.toUpperCase());
