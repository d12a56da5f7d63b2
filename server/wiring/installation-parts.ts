import type { Core } from './core.ts';

/** What the checks of the installation read, in the service as in `doctor`. */
export const installationParts = ({
  registry,
  database,
  audit,
  people,
  sandboxClock,
  accountInspection,
  isHeld,
  newestBackup,
}: Core) => ({
  database,
  audit: audit.audit,
  due: registry.due(),
  checks: registry.checks(),
  sealed: registry.sealed,
  workspaces: people.people.workspaces,
  sandboxOffsetMs: sandboxClock.offsetMs,
  liveNetworks: accountInspection.liveNetworks,
  isHeld,
  newestBackup,
});
