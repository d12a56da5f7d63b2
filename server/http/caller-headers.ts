import type { ServerResponse } from 'node:http';
import type { Caller } from '#server/context';

/** Tells a program whom its token stands for. A name may have any letters, which a header may not. */
export const tellCaller = (res: ServerResponse, { userId, workspaceId, role }: Caller, workspaceName: string) => {
  res.setHeader('posthorn-user', userId);
  res.setHeader('posthorn-role', role);
  res.setHeader('posthorn-workspace', workspaceId);
  res.setHeader('posthorn-workspace-name', encodeURIComponent(workspaceName));
};
