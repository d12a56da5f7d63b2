/** Whom a token stands for */
export interface WhoAmI {
  userId: string;
  workspaceId: string;
  workspaceName: string;
  role: string;
}

export const readCaller = (headers: Headers): WhoAmI => ({
  userId: headers.get('posthorn-user') ?? '',
  workspaceId: headers.get('posthorn-workspace') ?? '',
  workspaceName: decodeURIComponent(headers.get('posthorn-workspace-name') ?? ''),
  role: headers.get('posthorn-role') ?? '',
});
