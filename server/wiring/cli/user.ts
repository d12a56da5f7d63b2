import { type Command, need, using, usingService } from './command.ts';

export const listUsers: Command = (config) =>
  using(config, ({ people: { userAdministration } }) => userAdministration.everybody());

export const resetPassword: Command = (config, options) => {
  const [address] = need(options, 'email');
  return using(config, async ({ people: { userAdministration } }) => {
    const { email, path } = await userAdministration.newPasswordPath(address);
    return { email, url: config.baseUrl + path };
  });
};

export const signOutUser: Command = (config, options) => {
  const [address] = need(options, 'email');
  if (options.all === undefined)
    return using(config, ({ people: { userAdministration } }) => userAdministration.signOut(address));
  return usingService(config, async ({ posthorn }) => {
    const { userAdministration, tokens, clients } = posthorn;
    const identity = await posthorn.openIdentity();
    try {
      return await userAdministration.signOut(address, async (userId) => {
        await tokens.revokeAll(userId);
        await identity.forgetUser(userId);
        await clients.endAll(userId);
      });
    } finally {
      identity.stop?.();
    }
  });
};

/** Without --yes it prints what is stored about the person, so that they can be given it first. */
export const deleteUser: Command = (config, options) => {
  const [address] = need(options, 'email');
  return usingService(config, async ({ posthorn }) => {
    if (options.yes === undefined) {
      const person = await posthorn.personDeletion.exportPerson({ address });
      console.error(
        'Nothing was deleted. This is what is stored of the person; their posts and comments are in the exports of the workspaces, and stay there by "A former member". Run it again with --yes to delete the person for good.',
      );
      return person;
    }
    const identity = await posthorn.openIdentity();
    try {
      const deletion = await posthorn.personDeletion.remove({ address });
      await identity.forgetUser(deletion.deleted);
      return deletion;
    } finally {
      identity.stop?.();
    }
  });
};
