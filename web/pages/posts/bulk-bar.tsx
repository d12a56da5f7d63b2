import { Button } from '@mantine/core';
import type { PostSummary } from '#generated/app-client';
import { count } from '#web/parts/number.ts';
import styles from './posts.module.css';

export const BulkBar = ({
  posts,
  onDuplicate,
  onLabel,
  onDelete,
  onClear,
}: {
  posts: readonly PostSummary[];
  onDuplicate: () => Promise<unknown>;
  onLabel: () => void;
  onDelete: (drafts: readonly PostSummary[]) => void;
  onClear: () => void;
}) => {
  const drafts = posts.filter(({ status }) => status === 'Draft');
  const act = (what: () => unknown) => () => {
    void what();
    onClear();
  };
  return (
    <section className={styles.bulk} aria-label="Selected posts">
      <p role="status">{count(posts.length, 'post')} selected</p>
      <Button size="xs" onClick={act(onDuplicate)}>
        Duplicate
      </Button>
      <Button size="xs" onClick={onLabel}>
        Labels
      </Button>
      {drafts.length > 0 && (
        <Button size="xs" variant="danger" onClick={act(() => onDelete(drafts))}>
          Delete {count(drafts.length, 'draft')}
        </Button>
      )}
      <Button size="xs" variant="quiet" onClick={onClear}>
        Clear
      </Button>
    </section>
  );
};
