import { type Command, need, using } from './command.ts';

export const listUsers: Command = (config) => using(config, ({ posthorn: { helpDesk } }) => helpDesk.everybody());

export const resetPassword: Command = (config, options) => {
  const [address] = need(options, 'email');
  return using(config, async ({ posthorn: { helpDesk } }) => {
    const { email, path } = await helpDesk.newPasswordPath(address);
    return { email, url: config.baseUrl + path };
  });
};

export const signOutUser: Command = (config, options) => {
  const [address] = need(options, 'email');
  return using(config, async ({ posthorn }) => {
    const { helpDesk, tokens, clients } = posthorn;
    if (options.all === undefined) return helpDesk.signOut(address);
    const identity = await posthorn.openIdentity();
    try {
      return await helpDesk.signOut(address, async (userId) => {
        await tokens.revokeAll({ userId });
        await identity.forgetUser(userId);
        await clients.endAll(userId);
      });
    } finally {
      identity.stop?.();
    }
  });
};
