import type { AuditLog } from '#server/audit/audit-log';
import type { Rights } from '#server/auth/rights';
import type { Revisions } from '#server/history/revisions';
import type { Labels } from '#server/labels/labels';
import type { MediaLibrary } from '#server/media/library';
import type { Lifecycle } from '#server/posts/lifecycle';
import type { Reading } from '#server/posts/reading';
import type { DeletedSends } from '#server/publishing/deleted-sends';
import type { Comments } from '#server/review/comments';
import type { Database } from '#server/store/database';
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
