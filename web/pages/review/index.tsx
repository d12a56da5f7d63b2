import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isPosthornError, type SharedPost } from '#generated/app-client';
import { app } from '#web/api.ts';
import { handleOf } from '#web/networks.ts';
import { EntryCard, EntryFault } from '#web/parts/entry-card.tsx';
import { extrasOf } from '#web/parts/extras.ts';
import { Mark } from '#web/parts/mark.tsx';
import { Badge } from '#web/parts/network-badge.tsx';
import { PostPreview } from '#web/parts/post-preview.tsx';
import { StateChip } from '#web/parts/state-chip.tsx';
import { browserZone, formatDateTime, setServerClock } from '#web/parts/time.ts';
import styles from './review.module.css';

/** The post may change while someone reads it. */
const pollMs = 20_000;

/** One post for anyone who has the review link. */
export default function Review() {
  const { secret } = useParams({ strict: false }) as { secret: string };
  const { data, error, refetch } = useQuery({
    queryKey: ['review', secret],
    queryFn: ({ signal }) => app.openShare({ secret }, { signal }),
    refetchInterval: (query) => (isPosthornError(query.state.error, 'NotFound') ? false : pollMs),
  });
  useEffect(() => {
    if (data) setServerClock(data.now);
  }, [data]);
  if (isPosthornError(error, 'NotFound')) {
    return (
      <EntryCard
        title="Nothing is shared here"
        lead="The address is wrong, has ended or was revoked. Ask the person who sent it for a new one."
      />
    );
  }
  if (error && !data) {
    return (
      <EntryFault
        card="Post for review"
        fault={error}
        title="The post could not be loaded"
        onRetry={() => void refetch()}
      />
    );
  }
  return data ? <Shared post={data} secret={secret} /> : null;
}

const Shared = ({ post, secret }: { post: SharedPost; secret: string }) => {
  const zone = browserZone();
  useEffect(() => {
    document.title = 'Post for review · Posthorn';
  }, []);
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <Mark size={26} />
        <h1 className={styles.title}>Post for review</h1>
        <StateChip state={post.status} />
        {post.status === 'Scheduled' && post.scheduledAt && (
          <span className={`small text-2 ${styles.when}`}>Goes out {formatDateTime(post.scheduledAt, zone)}</span>
        )}
      </header>
      <main className={styles.main}>
        {post.accounts.length === 0 && <p className="text-2">No account is chosen for this post yet.</p>}
        <div className={styles.previews}>
          {post.accounts.map(
            ({ network, provider, badge, name, handle, constraints, titleKey, options, items, cover }) => (
              <section key={`${provider} ${handle} ${name}`} aria-label={`${provider}, ${handleOf({ handle, name })}`}>
                <h2 className={styles.network}>
                  <Badge look={{ ...badge, network, name: provider }} size={20} isColored />
                  <span aria-hidden="true">{provider}</span>
                </h2>
                <PostPreview
                  whole
                  account={{ provider, name, handle }}
                  limits={constraints}
                  extras={extrasOf(options, network)}
                  title={titleKey === undefined ? undefined : (options[titleKey] ?? '')}
                  cover={cover && `/review/${encodeURIComponent(secret)}/media/${cover}?size=thumbnail`}
                  items={items.map(({ body, media }, index) => ({
                    key: String(index),
                    body,
                    media: media.map(({ key, kind, alt = '' }) => {
                      const address = `/review/${encodeURIComponent(secret)}/media/${key}`;
                      return {
                        key,
                        src: `${address}?size=thumbnail`,
                        isVideo: kind === 'Video',
                        alt,
                        ...(kind === 'Video' && { playsAt: address }),
                      };
                    }),
                  }))}
                />
              </section>
            ),
          )}
        </div>
      </main>
      <footer className={`small text-2 ${styles.foot}`}>
        Changed {formatDateTime(post.updatedAt, zone)}. This address ends {formatDateTime(post.expiresAt, zone)}. Times
        are in {zone.replaceAll('_', ' ')}.
      </footer>
    </div>
  );
};
