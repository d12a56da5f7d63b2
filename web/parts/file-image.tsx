import { useState } from 'react';
import type { MediaItem } from '#generated/app-client';
import { fileWords, thumbnailOf } from './media-file.ts';

interface Sent {
  /** What goes out. */
  readonly file: MediaItem;
  /** What it was made of; the same where nothing was fitted. */
  readonly original: MediaItem;
}

/** What each of the accounts gets in the place of these files, which may be the same picture cut in two ways. */
export const filesFor = (
  ids: readonly string[],
  accountIds: readonly string[],
  media: readonly MediaItem[],
  fittedFor: (accountId: string, mediaId: string) => MediaItem | undefined,
): Sent[] => {
  const found = new Map<string, Sent>();
  for (const original of ids.flatMap((id) => media.find((one) => one.id === id) ?? [])) {
    const files = accountIds.map((accountId) => fittedFor(accountId, original.id) ?? original);
    for (const file of files.length === 0 ? [original] : files) found.set(file.id, { file, original });
  }
  return [...found.values()];
};

/** The small picture of a file. A fitted one is removed a day after no post needs it; the original then stands for it. */
export const FileImage = ({ file, original }: Sent) => {
  const [isGone, setGone] = useState(false);
  const isFitted = file.id !== original.id && !isGone;
  return (
    <img
      src={thumbnailOf(isFitted ? file.id : original.id)}
      alt={fileWords(original)}
      title={original.alt}
      loading="lazy"
      data-fitted={isFitted || undefined}
      onError={() => setGone(true)}
    />
  );
};
