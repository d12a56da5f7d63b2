import type { AuditLog } from '#server/access/audit/audit-log';
import type { Rights } from '#server/access/auth/rights';
import type { Database } from '#server/base/store/database';
import type { DeletedSends } from '#server/delivery/publishing/deleted-sends';
import type { MediaLibrary } from '#server/media/library';
import type { Labels } from '#server/planning/labels/labels';
import type { Comments } from '#server/planning/review/comments';
import type { Revisions } from '#server/writing/history/revisions';
import type { Lifecycle } from '#server/writing/posts/lifecycle';
import type { Reading } from '#server/writing/posts/reading';
import { createBin } from './bin.ts';
import { binRoutes } from './routes.ts';
import { createBinStore } from './store.ts';

export const openBin = ({
  database,
  rights,
  reading,
  lifecycle,
  revisions,
  comments,
  sends,
  labels,
  library,
  audit,
}: {
  database: Database;
  rights: Rights;
  reading: Reading;
  lifecycle: Lifecycle;
  revisions: Revisions;
  comments: Comments;
  sends: DeletedSends;
  labels: Labels;
  library: MediaLibrary;
  audit: AuditLog;
}) => {
  const store = createBinStore(database);
  const bin = createBin({ store, rights, reading, lifecycle, revisions, comments, sends, labels, library, audit });
  return {
    bin,
    routes: binRoutes({ bin }),
    chores: { 'remove old posts from the bin': { every: '1 hour', run: bin.purge } },
  };
};
