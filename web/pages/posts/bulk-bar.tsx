import { ActionIcon, Button } from '@mantine/core';
import { CalendarClock, X } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { SelectedPost } from '#generated/app-client';
import { useActLabel } from '#web/parts/approval-requests.ts';
import { count, formatNumber } from '#web/parts/number.ts';
import { isDeletable } from './post-row.tsx';
import styles from './posts.module.css';
import { useBulkActions } from './use-bulk-actions.ts';
import type { Selection } from './use-selection.ts';

const MoveDialog = lazy(() => import('./move-dialog.tsx'));
const AddAccountDialog = lazy(() => import('./add-account-dialog.tsx'));

/** The server selects at most this many posts at once. */
const maxSelected = 2000;

export const BulkBar = ({
  selection,
  total,
  onDuplicate,
  onLabel,
  onDelete,
}: {
  selection: Selection;
  /** How many posts match the filter; undefined while loading. */
  total: number | undefined;
  onDuplicate: (posts: readonly SelectedPost[]) => unknown;
  onLabel: (posts: readonly SelectedPost[]) => void;
  onDelete: (posts: readonly SelectedPost[]) => void;
}) => {
  const { posts, clear } = selection;
  const [dialog, setDialog] = useState<'move' | 'account'>();
  const { unschedule } = useBulkActions();
  const label = useActLabel();
  const scheduled = posts.filter(({ status }) => status === 'Scheduled');
  const deletable = posts.filter(isDeletable);
  const editable = posts.filter(({ status }) => status !== 'Publishing' && status !== 'Published');
  const most = Math.min(total ?? 0, maxSelected);
  const act = (what: () => unknown) => () => {
    void what();
    clear();
  };
  return (
    <section className={styles.bulk} aria-label="Selected posts">
      <p role="status">{posts.length === 0 ? 'Select posts' : `${count(posts.length, 'post')} selected`}</p>
      {most > posts.length && (
        <Button size="xs" variant="quiet" loading={selection.isLoading} onClick={() => void selection.selectAll()}>
          {most < (total ?? 0) ? `Select the newest ${formatNumber(most)}` : `Select all ${formatNumber(most)}`}
        </Button>
      )}
      <div className={styles.bulkActions}>
        {posts.length > 0 && (
          <>
            {editable.length > 0 && (
              <Button
                size="xs"
                leftSection={<CalendarClock size={16} aria-hidden="true" />}
                onClick={() => setDialog('move')}
              >
                {label('Move to…', { isFree: scheduled.length === 0 })}
              </Button>
            )}
            {scheduled.length > 0 && (
              <Button size="xs" onClick={act(() => unschedule(scheduled))}>
                {label(
                  scheduled.length === posts.length ? 'Unschedule' : `Unschedule ${formatNumber(scheduled.length)}`,
                )}
              </Button>
            )}
            <Button size="xs" onClick={() => onLabel(posts)}>
              Labels
            </Button>
            {editable.length > 0 && (
              <Button size="xs" onClick={() => setDialog('account')}>
                {label('Add account', { isFree: scheduled.length === 0 })}
              </Button>
            )}
            {posts.length <= maxCopies && (
              <Button size="xs" onClick={act(() => onDuplicate(posts))}>
                Duplicate
              </Button>
            )}
            {deletable.length > 0 && (
              <Button size="xs" variant="danger" onClick={() => onDelete(deletable)}>
                {label(deletable.length === posts.length ? 'Delete' : `Delete ${formatNumber(deletable.length)}`, {
                  isFree: scheduled.length === 0,
                })}
              </Button>
            )}
          </>
        )}
        <ActionIcon size={28} aria-label="Clear the selection" onClick={clear}>
          <X size={18} aria-hidden="true" />
        </ActionIcon>
      </div>
      <Suspense>
        {dialog === 'move' && <MoveDialog posts={posts} onClose={() => setDialog(undefined)} onMoved={clear} />}
        {dialog === 'account' && (
          <AddAccountDialog posts={editable} onClose={() => setDialog(undefined)} onAdded={clear} />
        )}
      </Suspense>
    </section>
  );
};

/** Each copy takes several requests. */
const maxCopies = 100;
