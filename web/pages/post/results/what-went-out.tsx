import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Post } from '#generated/app-client';
import { app } from '#web/api.ts';
import { extrasFor } from '#web/parts/extras.ts';
import { ExtrasView } from '#web/parts/extras-view.tsx';
import { NetworkBadges } from '#web/parts/network-badge.tsx';
import type { Target } from './use-results.ts';
import styles from './what-went-out.module.css';

const original = 'original';

/** Text and media as they were sent; where accounts got their own, one of them at a time. */
export const WhatWentOut = ({ post, targets }: { post: Post; targets: readonly Target[] }) => {
  const [chosen, setChosen] = useState(original);
  const version = post.versions.find(({ accountId }) => (accountId ?? original) === chosen) ?? post.versions[0];
  const nameOf = (accountId: string | undefined) =>
    accountId === undefined
      ? 'Original'
      : (targets.find((target) => target.accountId === accountId)?.provider ?? accountId);
  const ids = [...new Set(post.versions.flatMap(({ content }) => content.flatMap(({ media }) => media)))];
  const { data } = useQuery({
    queryKey: ['media', 'of', ids],
    enabled: ids.length > 0,
    queryFn: ({ signal }) => app.searchMedia({ ids: ids.join(',') }, { signal }),
  });
  const items = version?.content ?? [];
  const hasOwn = (id: string) => post.versions.some(({ accountId }) => accountId === id);
  const readers = targets.filter(({ accountId }) =>
    version?.accountId === undefined ? !hasOwn(accountId) : accountId === version.accountId,
  );
  const extras = extrasFor(
    post.versions,
    readers.map(({ accountId, network }) => ({ id: accountId, network })),
  );
  return (
    <section aria-labelledby="went-out">
      <h2 id="went-out" className={styles.title}>
        What went out
      </h2>
      {post.versions.length > 1 && (
        <Select
          aria-label="Version"
          value={chosen}
          onChange={(value) => setChosen(value ?? original)}
          data={post.versions.map(({ accountId }) => ({ value: accountId ?? original, label: nameOf(accountId) }))}
          mb={10}
        />
      )}
      <ol className={styles.items}>
        {items.map(({ body, media }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: items of a post that is out never move
          <li key={index} className={`card ${styles.item}`}>
            {media.length > 0 && (
              <div className={styles.media} data-many={media.length > 1 || undefined}>
                {media.map((id) => {
                  const file = data?.media.find((one) => one.id === id);
                  return (
                    <a key={id} href={`/media/${id}`} target="_blank" rel="noreferrer">
                      <img
                        src={`/media/${id}?size=thumbnail`}
                        alt={
                          file?.alt ??
                          { Image: 'Image without alt text', Video: 'Video without description', Document: 'Document' }[
                            file?.kind ?? 'Image'
                          ]
                        }
                        loading="lazy"
                      />
                    </a>
                  );
                })}
              </div>
            )}
            {body.trim() !== '' && (
              <p className={styles.body} dir="auto">
                {body}
              </p>
            )}
          </li>
        ))}
      </ol>
      {extras.map(({ networks, ...added }) => (
        <div key={networks.join()} className={styles.extras}>
          {readers.length > networks.length && <NetworkBadges networks={networks} size={16} max={4} />}
          <ExtrasView {...added} />
        </div>
      ))}
    </section>
  );
};
