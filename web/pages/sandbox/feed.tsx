import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { FlaskConical } from 'lucide-react';
import { useState } from 'react';
import type { ReadSandboxOutput } from '#generated/app-client';
import { EmptyState } from '#web/parts/empty-state.tsx';
import { NetworkBadge } from '#web/parts/network-badge.tsx';
import { usePageSearch } from '#web/parts/use-page-search.ts';
import { FeedPost, type NetworkPost } from './feed-post.tsx';
import styles from './sandbox.module.css';

const page = 40;

/** What the public would see. */
export const Feed = ({ networks }: { networks: ReadSandboxOutput['networks'] }) => {
  const [{ network: only }, setSearch] = usePageSearch<'network'>();
  const [visibleCount, setVisibleCount] = useState(page);
  const posts = networks
    .filter(({ network }) => only === undefined || network === only)
    .flatMap(({ network, posts: own }) => own.map((post): NetworkPost => ({ ...post, network })));
  const ids = new Set(posts.map(({ network, id }) => `${network} ${id}`));
  const roots = posts
    .filter(({ network, replyTo }) => !ids.has(`${network} ${replyTo}`))
    .toSorted((one, other) => other.createdAt.localeCompare(one.createdAt));
  const inUse = networks.filter(({ network, posts: own }) => own.length > 0 || network === only);
  return (
    <>
      <div className={styles.filter}>
        <fieldset>
          <legend className="hidden">Networks</legend>
          <button
            type="button"
            className={styles.pick}
            aria-pressed={only === undefined}
            onClick={() => setSearch({ network: undefined })}
          >
            All
          </button>
          {inUse.map(({ network }) => (
            <button
              key={network}
              type="button"
              className={styles.pick}
              aria-pressed={only === network}
              onClick={() => setSearch({ network })}
            >
              <NetworkBadge network={network} size={20} isColored={only === network} />
            </button>
          ))}
        </fieldset>
        <span className="small text-3 desk-only">as an outsider sees it</span>
      </div>
      {roots.length === 0 ? (
        <EmptyState
          icon={FlaskConical}
          title="Nothing is posted here yet"
          action={
            <Button variant="ink" component={Link} to="/posts/new">
              Write a post
            </Button>
          }
        >
          What goes out to a sandbox account appears here.
        </EmptyState>
      ) : (
        <ul aria-label="Posts on the sandbox networks">
          {roots.slice(0, visibleCount).map((post) => (
            <FeedPost key={`${post.network} ${post.id}`} post={post} all={posts} />
          ))}
        </ul>
      )}
      {roots.length > visibleCount && <Button onClick={() => setVisibleCount(visibleCount + page)}>Show more</Button>}
    </>
  );
};
