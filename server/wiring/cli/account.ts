import { SettingError } from '#server/base/config/config';
import type { OpenService } from '#server/wiring/open-service';
import { type Command, need, usingService } from './command.ts';

export const addAccount: Command = async (config, options) => {
  const [workspaceId, key] = need(options, 'workspace', 'network');
  if (config.production) throw new SettingError('There is no sandbox in production. Connect accounts in the app.');
  const { connectInSandbox, withSandboxServer } = await import('#server/simulation/sandbox/sign-up');
  let url = '';
  const add = async ({ posthorn }: OpenService) => {
    const { networks, sandboxes } = posthorn;
    if (networks.find(key) === undefined) {
      throw new SettingError(
        `There is no network ${key}. Choose one of ${networks.all.map((one) => one.key).join(', ')}.`,
      );
    }
    const caller = {
      ...(await posthorn.userAdministration.ownerOf(workspaceId)),
      role: 'owner',
      mayPublish: true,
      isPerson: true,
    } as const;
    const handle = options.handle ?? 'anna';
    return withSandboxServer(sandboxes, async (own) => {
      url = own;
      const here = (address: string) => address.replace(config.baseUrl, own);
      return { id: await connectInSandbox(posthorn, caller, key, { handle, here }), network: key };
    });
  };
  return usingService(config, add, () => url);
};
