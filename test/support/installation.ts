import { pino } from 'pino';
import { readConfig } from '#server/base/config/config';
import { connectInSandbox, withSandboxServer } from '#server/simulation/sandbox/sign-up';
import { openService } from '#server/wiring/open-service';

/**
 * What `posthorn setup` and `posthorn account add` leave behind, made in this process, because each of these commands takes
 * seconds of CPU.
 */
export const setUpInstallation = async (
  settings: NodeJS.ProcessEnv,
  person: { email: string; password: string },
  networks: readonly string[] = [],
) => {
  const config = readConfig(settings);
  let url = '';
  const { posthorn, close } = await openService(config, pino({ level: 'silent' }), () => url);
  try {
    const owner = await posthorn.people.setUp({ ...person, workspace: 'Demo' });
    const { token } = await posthorn.tokens.create(owner, 'Setup');
    const caller = { ...owner, role: 'owner', mayPublish: true, isPerson: true } as const;
    const accountIds = await withSandboxServer(posthorn.sandboxes, async (own) => {
      url = own;
      const here = (address: string) => address.replace(config.baseUrl, own);
      const ids: string[] = [];
      for (const network of networks) {
        ids.push(await connectInSandbox(posthorn, caller, network, { handle: 'anna', here }));
      }
      return ids;
    });
    return { ...owner, token, accountIds };
  } finally {
    await close();
  }
};
