import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { isPosthornError, type SharedPost } from '#generated/app-client';
import { withShortLinks } from '#server/networks/short-links';
import { app } from '#web/base/api.ts';
import { handleOf } from '#web/base/networks.ts';
import { browserZone, formatDateTime, setServerClock } from '#web/base/time.ts';
import { Banner } from '#web/parts/banner.tsx';
import { EntryCard, EntryFault } from '#web/parts/entry-card.tsx';
import { linkCardsIn } from '#web/parts/link-card.tsx';
import { Mark } from '#web/parts/mark.tsx';
import { Badge } from '#web/parts/network-badge.tsx';
import { StateChip } from '#web/parts/state-chip.tsx';
import type { PreviewPost } from '#web/previews/model.ts';
import { Preview } from '#web/previews/preview.tsx';
import { AdviceForm } from './advice-form.tsx';
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

/** File URLs are specific to this review link. */
const toPreview = (account: SharedPost['accounts'][number], address: string): PreviewPost => {
  const folder = `${address}/media/`;
  const { network, provider, name, handle, avatar, constraints, options, labels, linkCards, cover, coverMs, items } =
    account;
  const thumbnailOf = (key: string) => `${folder}${key}?size=thumbnail`;
  return {
    network,
    account: { provider, name, handle, picture: avatar && `${address}/avatars/${avatar}` },
    limits: constraints,
    options,
    labels,
    optionFile: cover && thumbnailOf(cover),
    items: items.map(({ body, media }, index) => ({
      key: String(index),
      body: constraints.characters.shortLinks ? withShortLinks(body).text : body,
      linkCard: media.length === 0 ? linkCardsIn(linkCards, network, body)[0] : undefined,
      media: media.map(({ key, alt = '', ...file }) => ({
        ...file,
        key,
        alt,
        src: thumbnailOf(key),
        ...(file.kind === 'Video' && { playsAt: `${folder}${key}`, coverMs: media.length === 1 ? coverMs : undefined }),
      })),
    })),
  };
};

const Shared = ({ post, secret }: { post: SharedPost; secret: string }) => {
  const zone = browserZone();
  const [readAt, setReadAt] = useState(post.updatedAt);
  const time = post.scheduledAt === undefined ? 'now' : formatDateTime(post.scheduledAt, zone);
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
          <span className="small text-2">Goes out {formatDateTime(post.scheduledAt, zone)}</span>
        )}
      </header>
      <main className={styles.main}>
        {post.updatedAt !== readAt && (
          <Banner
            tone="blue"
            title={`The post was changed ${formatDateTime(post.updatedAt, zone)}`}
            action={
              <Button size="xs" onClick={() => setReadAt(post.updatedAt)}>
                I have read it
              </Button>
            }
          >
            {post.invitesAdvice && 'Until then, what you send is about the text before.'}
          </Banner>
        )}
        {post.accounts.length === 0 && <p className="text-2">No account is chosen for this post yet.</p>}
        <div className={styles.previews} data-many={post.accounts.length > 3 || undefined}>
          {post.accounts.map((account) => {
            const { network, provider, badge, name, handle } = account;
            return (
              <section key={`${provider} ${handle} ${name}`} aria-label={`${provider}, ${handleOf({ handle, name })}`}>
                <h2 className={styles.network}>
                  <Badge look={{ ...badge, network, name: provider }} size={20} isColored />
                  <span aria-hidden="true">{provider}</span>
                </h2>
                <Preview post={toPreview(account, `/review/${encodeURIComponent(secret)}`)} time={time} />
              </section>
            );
          })}
        </div>
        {post.invitesAdvice && <AdviceForm updatedAt={readAt} secret={secret} />}
      </main>
      <footer className={`small text-2 ${styles.foot}`}>
        Changed {formatDateTime(post.updatedAt, zone)}. This address ends {formatDateTime(post.expiresAt, zone)}. Times
        are in {zone.replaceAll('_', ' ')}.
      </footer>
    </div>
  );
};
