import type { AuditLog } from '#server/access/audit/audit-log';
import { type InstallationParts, startRules } from './check-installation.ts';
import { createReadInstallation } from './read-installation.ts';
import { installationRoutes } from './routes.ts';

export const openInstallation = ({
  parts,
  people: { isOperator, mustBeOperator },
  audit,
  readHold,
}: {
  parts: InstallationParts;
  people: {
    isOperator(userId: string): Promise<boolean>;
    mustBeOperator(userId: string, does: string): Promise<void>;
  };
  audit: AuditLog;
  readHold: Parameters<typeof installationRoutes>[0]['readHold'];
}) => ({
  startRules: () => startRules(parts),
  routes: installationRoutes({ read: createReadInstallation(parts), isOperator, mustBeOperator, readHold, audit }),
});
