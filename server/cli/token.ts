import { type Command, need, ownerOf, using } from './command.ts';

export const createToken: Command = (config, options) => {
  const [workspaceId, name] = need(options, 'workspace', 'name');
  return using(config, async (opened) => opened.posthorn.tokens.create(await ownerOf(opened, workspaceId), name));
};

export const listTokens: Command = (config, options) => {
  const [workspaceId] = need(options, 'workspace');
  return using(config, async (opened) => opened.posthorn.tokens.list(await ownerOf(opened, workspaceId)));
};

export const revokeToken: Command = (config, options) => {
  const [id] = need(options, 'id');
  return using(config, async ({ posthorn: { tokens } }) => {
    await tokens.revoke(id);
    return { id, revoked: true };
  });
};
