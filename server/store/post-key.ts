/** Which post of which workspace: tables are spread by workspace, so a batch of posts names both. */
export interface PostKey {
  readonly workspaceId: string;
  readonly postId: string;
}

/** For unnest($1::text[], $2::text[]) as given (workspace_id, post_id). Each once. */
export const keyColumns = (keys: readonly PostKey[]): readonly [string[], string[]] => {
  const workspaces = new Map(keys.map(({ workspaceId, postId }) => [postId, workspaceId]));
  return [[...workspaces.values()], [...workspaces.keys()]];
};
