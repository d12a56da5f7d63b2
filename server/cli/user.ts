import { type Command, need, using, usingService } from './command.ts';

export const listUsers: Command = (config) => using(config, ({ people: { helpDesk } }) => helpDesk.everybody());

export const resetPassword: Command = (config, options) => {
  const [address] = need(options, 'email');
  return using(config, async ({ people: { helpDesk } }) => {
    const { email, path } = await helpDesk.newPasswordPath(address);
    return { email, url: config.baseUrl + path };
  });
};

export const signOutUser: Command = (config, options) => {
  const [address] = need(options, 'email');
  if (options.all === undefined) return using(config, ({ people: { helpDesk } }) => helpDesk.signOut(address));
  return usingService(config, async ({ posthorn }) => {
    const { helpDesk, tokens, clients } = posthorn;
    const identity = await posthorn.openIdentity();
    try {
      return await helpDesk.signOut(address, async (userId) => {
        await tokens.revokeAll(userId);
        await identity.forgetUser(userId);
        await clients.endAll(userId);
      });
    } finally {
      identity.stop?.();
    }
  });
};
