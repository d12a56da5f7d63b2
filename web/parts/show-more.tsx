import { Button } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { useEffect } from 'react';
import styles from './show-more.module.css';

/** Loads more when the end is near; the button is for keyboards. */
export const ShowMore = ({ loading, onMore }: { loading: boolean; onMore: () => void }) => {
  const { ref, entry } = useIntersection({ rootMargin: '600px' });
  const isNear = entry?.isIntersecting ?? false;
  // biome-ignore lint/correctness/useExhaustiveDependencies: run once each time the end comes near
  useEffect(() => {
    if (isNear && !loading) onMore();
  }, [isNear, loading]);
  return (
    <div ref={ref} className={styles.more}>
      <Button loading={loading} onClick={onMore}>
        Show more
      </Button>
    </div>
  );
};
