import type { InstallationRoutes } from '#contracts/installation';
import type { AuditLog } from '#server/access/audit/audit-log';
import type { RouteHandlers } from '#server/base/context';
import type { ReadInstallation } from './read-installation.ts';

export const installationRoutes = ({
  read,
  isOperator,
  mustBeOperator,
  readHold,
  audit,
}: {
  read: ReadInstallation;
  isOperator: (userId: string) => Promise<boolean>;
  mustBeOperator: (userId: string, does: string) => Promise<void>;
  audit: Pick<AuditLog, 'newestOfServer'>;
  readHold: () => Promise<{ backupAt: string; restoredAt: string } | undefined>;
}): RouteHandlers<Pick<InstallationRoutes, 'readInstallation' | 'listServerAudit'>> => ({
  readInstallation: async ({ caller }) => {
    const hold = await readHold();
    return { checks: (await isOperator(caller.userId)) ? await read() : [], ...(hold && { hold }) };
  },

  listServerAudit: async ({ caller }) => {
    await mustBeOperator(caller.userId, 'reads the log of this server');
    return { entries: await audit.newestOfServer() };
  },
});
