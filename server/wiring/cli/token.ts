import { type Command, need, using } from './command.ts';

export const createToken: Command = (config, options) => {
  const [workspaceId, name] = need(options, 'workspace', 'name');
  return using(config, async ({ people: { userAdministration }, auth: { tokens } }) =>
    tokens.create(await userAdministration.ownerOf(workspaceId), name),
  );
};

export const listTokens: Command = (config, options) => {
  const [workspaceId] = need(options, 'workspace');
  return using(config, async ({ people: { userAdministration }, auth: { tokens } }) =>
    tokens.list(await userAdministration.ownerOf(workspaceId)),
  );
};

export const revokeToken: Command = (config, options) => {
  const [id] = need(options, 'id');
  return using(config, async ({ auth: { tokens } }) => {
    await tokens.revoke(id);
    return { id, revoked: true };
  });
};
