import type { InstallationRoutes } from '#contracts/installation';
import type { RouteHandlers } from '#server/context';
import type { ReadInstallation } from './read-installation.ts';

export const installationRoutes = ({
  read,
  isOperator,
  readHold,
}: {
  read: ReadInstallation;
  isOperator: (userId: string) => Promise<boolean>;
  readHold: () => Promise<{ backupAt: string; restoredAt: string } | undefined>;
}): RouteHandlers<Pick<InstallationRoutes, 'readInstallation'>> => ({
  readInstallation: async ({ caller }) => {
    const hold = await readHold();
    return { checks: (await isOperator(caller.userId)) ? await read() : [], ...(hold && { hold }) };
  },
});
