import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Post } from '#generated/app-client';
import { app } from '#web/api.ts';
import { extrasFor } from '#web/parts/extras.ts';
import { ExtrasView } from '#web/parts/extras-view.tsx';
import { FileImage, filesFor } from '#web/parts/file-image.tsx';
import { NetworkBadges } from '#web/parts/network-badge.tsx';
import { keys } from '#web/queries.ts';
import styles from './sent-content.module.css';
import type { Target } from './use-results.ts';

const original = 'original';

/** The sent content, one version at a time. */
export const SentContent = ({ post, targets }: { post: Post; targets: readonly Target[] }) => {
  const [chosen, setChosen] = useState(original);
  const version = post.versions.find(({ accountId }) => (accountId ?? original) === chosen) ?? post.versions[0];
  const nameOf = (accountId: string | undefined) =>
    accountId === undefined
      ? 'Original'
      : (targets.find((target) => target.accountId === accountId)?.provider ?? accountId);
  const { data } = useQuery({
    queryKey: keys.editor(post.id),
    queryFn: ({ signal }) => app.viewForEditor({ id: post.id }, { signal }),
    enabled: post.versions.some(({ content }) => content.some(({ media }) => media.length > 0)),
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
  const filesOf = (media: readonly string[]) =>
    filesFor(
      media,
      readers.map(({ accountId }) => accountId),
      data?.media ?? [],
      (accountId, mediaId) => data?.accounts.find((one) => one.accountId === accountId)?.fitted[mediaId],
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
          // biome-ignore lint/suspicious/noArrayIndexKey: items of a sent post never reorder
          <li key={index} className={`card ${styles.item}`}>
            <Files files={filesOf(media)} />
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

const Files = ({ files }: { files: ReturnType<typeof filesFor> }) =>
  files.length > 0 && (
    <div className={styles.media} data-many={files.length > 1 || undefined}>
      {files.map(({ file, original }) => (
        <a key={file.id} href={`/media/${file.id}`} target="_blank" rel="noreferrer">
          <FileImage file={file} original={original} />
        </a>
      ))}
    </div>
  );
