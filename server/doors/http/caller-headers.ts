import type { ServerResponse } from 'node:http';
import type { Caller } from '#server/base/context';

/** Shows a program whom its token acts for. The workspace name is encoded, because headers hold ASCII only. */
export const setCallerHeaders = (res: ServerResponse, { userId, workspaceId, role }: Caller, workspaceName: string) => {
  res.setHeader('posthorn-user', userId);
  res.setHeader('posthorn-role', role);
  res.setHeader('posthorn-workspace', workspaceId);
  res.setHeader('posthorn-workspace-name', encodeURIComponent(workspaceName));
};
