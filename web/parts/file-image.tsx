import { useState } from 'react';
import type { MediaItem } from '#generated/app-client';
import { describeFile, thumbnailOf } from './media-file.ts';

interface SentFile {
  /** The file that is published. */
  readonly file: MediaItem;
  /** Same as `file` if nothing was fitted. */
  readonly original: MediaItem;
}

/** The distinct files that the accounts get; one file may be fitted in several ways. */
export const filesFor = (
  ids: readonly string[],
  accountIds: readonly string[],
  media: readonly MediaItem[],
  fittedFor: (accountId: string, mediaId: string) => MediaItem | undefined,
): SentFile[] => {
  const filesById = new Map<string, SentFile>();
  for (const original of ids.flatMap((id) => media.find((one) => one.id === id) ?? [])) {
    const files = accountIds.map((accountId) => fittedFor(accountId, original.id) ?? original);
    for (const file of files.length === 0 ? [original] : files) filesById.set(file.id, { file, original });
  }
  return [...filesById.values()];
};

/** The server deletes fitted files a day after their last use; show the original then. */
export const FileImage = ({ file, original }: SentFile) => {
  const [isGone, setGone] = useState(false);
  const isFitted = file.id !== original.id && !isGone;
  if (isFitted && file.kind === 'Video') {
    return (
      // biome-ignore lint/a11y/useMediaCaption: uploaded videos have no captions
      <video
        src={`/media/${file.id}`}
        poster={thumbnailOf(file.id)}
        controls
        preload="none"
        aria-label={describeFile(original)}
        data-fitted
        onError={() => setGone(true)}
      />
    );
  }
  return (
    <img
      src={thumbnailOf(isFitted ? file.id : original.id)}
      alt={describeFile(original)}
      title={original.alt}
      loading="lazy"
      data-fitted={isFitted || undefined}
      onError={() => setGone(true)}
    />
  );
};
