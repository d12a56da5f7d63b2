import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { minuteMs } from '#contracts/time';
import type { PostSummary } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { useSession } from '#web/base/session.ts';
import { Banner } from '#web/parts/banner.tsx';
import { quoteHeading } from '#web/parts/heading.ts';
import { count } from '#web/parts/number.ts';
import { useNow } from '#web/parts/use-now.ts';
import { When } from '#web/parts/when.tsx';

/** Refetched every minute and when posts change. The server decides what is late. */
export const useLatePosts = (): readonly PostSummary[] => {
  const minute = Math.floor(useNow().getTime() / minuteMs) * minuteMs;
  const { data } = useQuery({
    queryKey: keys.late(minute),
    queryFn: ({ signal }) => app.searchPosts({ group: 'Late' }, { signal }),
    placeholderData: (before) => before,
    gcTime: minuteMs,
  });
  return data?.posts ?? [];
};

export const LatePosts = ({ posts }: { posts: readonly PostSummary[] }) => {
  const { user } = useSession();
  const [first] = posts;
  if (first?.scheduledAt === undefined) return null;
  const isOne = posts.length === 1;
  return (
    <Banner
      tone="orange"
      title={
        isOne ? (
          <>
            <bdi>{quoteHeading(first.text)}</bdi> is late
          </>
        ) : (
          `${count(posts.length, 'post')} are late`
        )
      }
      action={
        <Button
          size="xs"
          renderRoot={(props) =>
            isOne ? (
              <Link to="/posts/$id" params={{ id: first.id }} {...props} />
            ) : (
              <Link to="/posts" search={{ status: 'Scheduled' }} {...props} />
            )
          }
        >
          {isOne ? 'Open' : 'Show them'}
        </Button>
      }
    >
      {isOne ? 'It was due ' : 'The first was due '}
      <When at={first.scheduledAt} form="said" />. {isOne ? 'It goes' : 'They go'} out once Posthorn sends again.{' '}
      {user.operator ? 'Find out why: run' : 'Ask whoever runs this server to run'} <code>npx posthorn doctor</code>
      {user.operator ? ' where it runs.' : '.'}
    </Banner>
  );
};
