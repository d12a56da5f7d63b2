import { Link } from '@tanstack/react-router';
import type { UndoImportOutput } from '#generated/app-client';
import { count } from '#web/parts/number.ts';
import { PostTitle } from '#web/parts/post-title.tsx';
import styles from './import.module.css';

/** Posts that an undone import left alone. */
export const Stayed = ({ posts }: { posts: UndoImportOutput['stayed'] }) =>
  posts.length > 0 && (
    <div role="status">
      <p>
        {posts.length === 100 ? 'At least 100 posts' : count(posts.length, 'post')} stayed, because{' '}
        {posts.length === 1 ? 'it is no longer a draft' : 'they are no longer drafts'}:
      </p>
      <ul className={styles.stayed}>
        {posts.map(({ id, text, status }) => (
          <li key={id}>
            <Link to="/posts/$id" params={{ id }} dir="auto">
              <PostTitle text={text} />
            </Link>{' '}
            <span className="text-3">{status}</span>
          </li>
        ))}
      </ul>
    </div>
  );
