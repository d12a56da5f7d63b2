import { useIsFetching, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { PostSummary } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys, queries } from '#web/base/queries.ts';
import { usePermissions, useZone } from '#web/base/session.ts';
import { addDays, dateIn, instantOf } from '#web/base/time.ts';
import { useListKeys } from '#web/parts/list.tsx';
import { Loaded } from '#web/parts/loaded.tsx';
import { count } from '#web/parts/number.ts';
import { PartBoundaries } from '#web/parts/part-boundary.tsx';
import { useDeleted } from '#web/parts/post-actions.ts';
import { Column, Section } from '#web/parts/section.tsx';
import { SkeletonRows } from '#web/parts/skeleton-rows.tsx';
import { useNow } from '#web/parts/use-now.ts';
import { AccountHealth } from './account-health.tsx';
import { BestPost } from './best-post.tsx';
import { DayRow } from './day-row.tsx';
import { NextDays } from './next-days.tsx';
import { PasswordStep } from './password-step.tsx';
import styles from './today.module.css';
import { Waiting } from './waiting.tsx';
import { WeekNumbers } from './week-numbers.tsx';

export const Today = () => {
  const zone = useZone();
  const today = dateIn(useNow(), zone);
  const { canWrite } = usePermissions();
  const area = useRef<HTMLDivElement>(null);
  useListKeys(area);
  const isShown = useIsShown(zone);
  return (
    <Column width="wide">
      {!isShown && <SkeletonRows rows={6} height={60} label="Loading your day" />}
      <div className={styles.columns} hidden={!isShown}>
        <div ref={area} className={styles.main}>
          <PartBoundaries>
            <PasswordStep />
            {canWrite && <Waiting />}
            <NextDays />
            <Days today={today} zone={zone} />
          </PartBoundaries>
        </div>
        <aside className={styles.side} aria-label="Numbers and accounts">
          <PartBoundaries>
            <WeekNumbers today={today} zone={zone} />
            <BestPost today={today} zone={zone} />
            <AccountHealth />
          </PartBoundaries>
        </aside>
      </div>
    </Column>
  );
};

/** The page waits at most this long for a part that does not answer. */
const longestMs = 2000;

/** Shows all parts at once: late parts would push down what someone is reading or about to click. */
const useIsShown = (zone: string) => {
  const client = useQueryClient();
  const [isShown, setIsShown] = useState(() => client.getQueryData(queries.forecast(zone).queryKey) !== undefined);
  const pending = useIsFetching({ predicate: ({ state }) => state.data === undefined });
  const hasBegun = useRef(false);
  useEffect(() => {
    if (pending > 0) hasBegun.current = true;
    else if (hasBegun.current) setIsShown(true);
  }, [pending]);
  useEffect(() => {
    const timer = setTimeout(() => setIsShown(true), longestMs);
    return () => clearTimeout(timer);
  }, []);
  return isShown;
};

const Days = ({ today, zone }: { today: string; zone: string }) => {
  const tomorrow = addDays(today, 1);
  const input = {
    group: 'Timed',
    from: instantOf(today, zone),
    to: instantOf(addDays(today, 2), zone),
  } as const;
  const query = useQuery({
    queryKey: keys.search(input),
    queryFn: ({ signal }) => app.searchPosts(input, { signal }),
  });
  const deleted = useDeleted();
  if (query.data === undefined && !query.error) {
    return (
      <>
        <Section title="Today">
          <SkeletonRows rows={3} label="Loading today" />
        </Section>
        <Section title="Tomorrow">
          <SkeletonRows rows={2} label="Loading tomorrow" />
        </Section>
      </>
    );
  }
  return (
    <Loaded query={query} title="Today could not be loaded">
      {({ posts }) => {
        const postsOn = (date: string) =>
          posts.filter((post) => !deleted.has(post.id) && dateIn(timeOf(post), zone) === date);
        const [now, next] = [postsOn(today), postsOn(tomorrow)];
        return (
          <>
            <Section title="Today" note={describeDay(now)}>
              <DayList posts={now} label="Today" nothing="Nothing goes out today." />
            </Section>
            <Section title="Tomorrow" note={next.length > 0 && count(next.length, 'post')}>
              <DayList posts={next} label="Tomorrow" nothing="Nothing is planned for tomorrow." />
            </Section>
          </>
        );
      }}
    </Loaded>
  );
};

/** `2 to go, 1 done` */
const describeDay = (posts: readonly PostSummary[]) => {
  const ahead = posts.filter(({ status }) => status === 'Scheduled' || status === 'Publishing').length;
  const out = posts.filter(({ status }) => status === 'Published').length;
  return [ahead > 0 && `${ahead} to go`, out > 0 && `${out} done`].filter(Boolean).join(', ');
};

export const timeOf = ({ publishedAt, scheduledAt, updatedAt }: PostSummary) => publishedAt ?? scheduledAt ?? updatedAt;

const DayList = ({ posts, label, nothing }: { posts: readonly PostSummary[]; label: string; nothing: string }) =>
  posts.length === 0 ? (
    <p className={styles.nothing}>{nothing}</p>
  ) : (
    <ul aria-label={label}>
      {posts.map((post) => (
        <DayRow key={post.id} post={post} at={timeOf(post)} />
      ))}
    </ul>
  );
