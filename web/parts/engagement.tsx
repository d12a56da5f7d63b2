import type { PostSummary } from '#generated/app-client';
import { NoNumber } from './no-number.tsx';

/**
 * Renders nothing before the post is published. Until numbers have been read it shows a dash with the reason, since 0
 * would be a claim.
 */
export const Engagement = ({
  post: { numbers, engagement = 0 },
  children,
}: {
  post: { numbers?: PostSummary['numbers'] | undefined; engagement?: number };
  children: (engagement: number) => React.ReactNode;
}) => {
  if (numbers === undefined) return null;
  if (numbers === 'Read') return children(engagement);
  return <NoNumber reason={numbers === 'Pending' ? 'No numbers yet' : 'No numbers are read'} />;
};
