import { SettingError } from '#server/base/config/config';
import { type Command, need, using } from './command.ts';

export const setup: Command = (config, options) => {
  const [email, workspace] = need(options, 'email', 'workspace');
  // With AUTH_URL the owner signs in at that provider, and is recognised by this address.
  const password = config.outsideProvider ? undefined : need(options, 'password')[0];
  return using(config, async ({ people: { people }, auth: { tokens } }) => {
    if (!(await people.isEmpty())) {
      throw new SettingError(
        'Posthorn is set up already: a user exists. For a sign-in link that works once, run: npx posthorn link',
      );
    }
    const owner = await people.setUp({ email, password, workspace });
    const { id: tokenId, token } = await tokens.create(owner, options['token-name'] ?? 'Setup');
    return { ...owner, tokenId, token };
  });
};
