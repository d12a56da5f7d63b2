import { FaultBanner } from './fault-banner.tsx';
import { SkeletonRows } from './skeleton-rows.tsx';

/** Skeleton rows while a query is pending, then its data. A failed refetch shows its error above the data it had. */
export const Loaded = <Data,>({
  query: { data, error, refetch },
  title,
  children,
  ...skeleton
}: {
  query: { data: Data | undefined; error: unknown; refetch: () => unknown };
  /** Title of the error: `The labels could not be loaded`. */
  title: string;
  children?: (data: Data) => React.ReactNode;
} & React.ComponentProps<typeof SkeletonRows>) => (
  <>
    {error && <FaultBanner fault={error} title={title} onRetry={() => void refetch()} />}
    {data === undefined && !error && <SkeletonRows {...skeleton} />}
    {data !== undefined && children?.(data)}
  </>
);
