/** A post and its workspace: tables can be sharded by workspace, so statements name both. */
export interface PostKey {
  readonly workspaceId: string;
  readonly postId: string;
}

/** For unnest($1::text[], $2::text[]) as given (workspace_id, post_id). Duplicates are removed. */
export const keyColumns = (keys: readonly PostKey[]): readonly [string[], string[]] => {
  const workspaces = new Map(keys.map(({ workspaceId, postId }) => [postId, workspaceId]));
  return [[...workspaces.values()], [...workspaces.keys()]];
};
