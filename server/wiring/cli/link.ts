import { type Command, using } from './command.ts';

export const link: Command = (config, { email }) =>
  using(config, async ({ people: { welcome } }) => {
    const { path, email: address } = await welcome.linkFor(email);
    return { email: address, url: config.baseUrl + path };
  });
