import { Play } from 'lucide-react';
import type { MediaItem } from '#generated/app-client';
import styles from './thumbnail.module.css';

/** Decorative, so it has no alt text. */
export const Thumbnail = ({
  url,
  kind,
  size = 34,
}: {
  url: string;
  kind?: MediaItem['kind'] | undefined;
  size?: number;
}) => {
  const picture = (
    <img className={styles.thumbnail} src={url} alt="" width={size} height={size} loading="lazy" decoding="async" />
  );
  if (kind !== 'Video') return picture;
  return (
    <span className={styles.video}>
      {picture}
      <Play className={styles.play} aria-hidden="true" />
    </span>
  );
};
