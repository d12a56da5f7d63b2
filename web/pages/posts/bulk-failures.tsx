import { Button, Modal } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useBulkFailures } from '#web/parts/bulk.ts';
import { PostTitle } from '#web/parts/post-title.tsx';
import styles from './posts.module.css';

/** Names each post that a bulk change left as it was. */
export const BulkFailures = () => {
  const { title = '', failures = [], clear } = useBulkFailures();
  return (
    <Modal opened={failures.length > 0} onClose={clear} title={title} size={560}>
      <ul className={styles.planList} aria-label={title}>
        {failures.map(({ post, message }) => (
          <li key={post.id}>
            <Link to="/posts/$id" params={{ id: post.id }} className="one-line" dir="auto" onClick={clear}>
              <PostTitle text={post.text} />
            </Link>
            <span className={styles.planProblem}>{message}</span>
          </li>
        ))}
      </ul>
      <div className={styles.planButtons}>
        <Button variant="ink" onClick={clear}>
          Close
        </Button>
      </div>
    </Modal>
  );
};
