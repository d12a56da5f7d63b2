import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { actions, app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { addDays, instantOf } from '#web/base/time.ts';
import { NetworkBadges } from '#web/parts/network-badge.tsx';
import { count } from '#web/parts/number.ts';
import { PostTitle } from '#web/parts/post-title.tsx';
import { Section } from '#web/parts/section.tsx';
import { useAccounts } from '#web/parts/use-accounts.ts';
import styles from './today.module.css';

/** Null when no post had engagement. */
export const BestPost = ({ today, zone }: { today: string; zone: string }) => {
  const { networksOf } = useAccounts();
  const input = {
    from: instantOf(addDays(today, -6), zone),
    to: instantOf(addDays(today, 1), zone),
    timeZone: zone,
  };
  const { data } = useQuery({
    queryKey: keys.analytics({ best: input }),
    queryFn: async ({ signal }) => {
      const [best] = (await actions.analytics.summary(input, { signal })).topPosts;
      if (best === undefined || best.engagement === 0) return null;
      const to = new Date(Date.parse(best.publishedAt) + 1000).toISOString();
      const { posts } = await app.searchPosts({ group: 'Timed', from: best.publishedAt, to }, { signal });
      return { ...best, thumbnail: posts.find(({ id }) => id === best.postId)?.thumbnail };
    },
  });
  if (!data) return null;
  return (
    <Section title="Best post this week" card>
      <Link to="/posts/$id" params={{ id: data.postId }} className={styles.best}>
        {data.thumbnail && <img src={data.thumbnail.url} alt="" loading="lazy" />}
        <span className={styles.bestText}>
          <span className={`one-line ${styles.bestTitle}`} dir="auto">
            <PostTitle text={data.text} />
          </span>
          <span className={styles.bestFoot}>
            <NetworkBadges networks={networksOf(data.accountIds)} size={16} />
            <span className="small text-2 number">{count(data.engagement, 'engagement')}</span>
          </span>
        </span>
      </Link>
    </Section>
  );
};
