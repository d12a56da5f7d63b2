import { Button } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { useEffect } from 'react';
import { FaultBanner } from './fault-banner.tsx';
import styles from './show-more.module.css';

/** Loads more when the end is near; the button is for keyboards. After an error the person decides when to try again. */
export const ShowMore = ({
  query: { error, isFetchingNextPage, isFetchNextPageError, fetchNextPage },
  title,
}: {
  query: { error: unknown; isFetchingNextPage: boolean; isFetchNextPageError: boolean; fetchNextPage: () => unknown };
  /** Title of the error: `More files could not be loaded`. */
  title: string;
}) => {
  const { ref, entry } = useIntersection({ rootMargin: '600px' });
  const isNear = entry?.isIntersecting ?? false;
  const canLoad = !isFetchingNextPage && !isFetchNextPageError;
  // biome-ignore lint/correctness/useExhaustiveDependencies: run once each time the end comes near
  useEffect(() => {
    if (isNear && canLoad) void fetchNextPage();
  }, [isNear, canLoad]);
  return (
    <div ref={ref} className={styles.more}>
      {isFetchNextPageError ? (
        <FaultBanner fault={error} title={title} onRetry={() => void fetchNextPage()} />
      ) : (
        <Button loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </div>
  );
};
