import type { AuditLog } from '#server/access/audit/audit-log';
import type { Clock } from '#server/base/clock';
import type { Config } from '#server/base/config/config';
import type { Database } from '#server/base/store/database';
import type { Accounts } from '#server/connecting/accounts/accounts';
import type { MediaLibrary } from '#server/media/library';
import type { Uploads } from '#server/media/uploads';
import type { Notifications } from '#server/messaging/notifications/notifications';
import type { Networks } from '#server/networks/registry';
import type { Bin } from '#server/planning/bin/bin';
import type { Labels } from '#server/planning/labels/labels';
import type { Drafts } from '#server/writing/posts/drafts';
import type { Readiness } from '#server/writing/posts/readiness';
import { createExportStore } from './export-store.ts';
import { createExports } from './exports.ts';
import { createFetching } from './fetching.ts';
import { createImportStore } from './import-store.ts';
import { createImports } from './imports.ts';
import { transferRoutes } from './routes.ts';

export const openTransfer = ({
  database,
  accounts,
  networks,
  library,
  uploads,
  drafts,
  readiness,
  labels,
  bin,
  audit,
  notifications,
  config: { baseUrl },
  clock,
}: {
  database: Database;
  accounts: Accounts;
  networks: Networks;
  library: MediaLibrary;
  uploads: Uploads;
  drafts: Drafts;
  readiness: Readiness;
  labels: Labels;
  bin: Bin;
  audit: AuditLog;
  notifications: Notifications;
  config: Config;
  clock: Clock;
}) => {
  const store = createImportStore(database);
  const fetch = createFetching({ store, library, uploads, baseUrl });
  const imports = createImports({
    store,
    fetch,
    accounts,
    networks,
    drafts,
    readiness,
    labels,
    bin,
    audit,
    notifications,
    baseUrl,
    clock,
  });
  const exports = createExports({ store: createExportStore(database), library, clock });
  return {
    imports,
    exports,
    routes: transferRoutes({ imports, exports }),
    chores: { 'forget old imports': { every: '1 day', run: imports.purge } },
  };
};
