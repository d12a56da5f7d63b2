import type { InstallationRoutes } from '#contracts/installation';
import type { RouteHandlers } from '#server/context';
import type { ReadInstallation } from './read-installation.ts';

export const installationRoutes = ({
  read,
  isOperator,
}: {
  read: ReadInstallation;
  isOperator: (userId: string) => Promise<boolean>;
}): RouteHandlers<InstallationRoutes> => ({
  readInstallation: async ({ caller }) => ({ checks: (await isOperator(caller.userId)) ? await read() : [] }),
});
