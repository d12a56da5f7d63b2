import styles from './thumbnail.module.css';

/** The first image or video of a post, beside its text: it says nothing of its own to a screen reader. */
export const Thumbnail = ({ src, size = 34 }: { src: string; size?: number }) => (
  <img className={styles.thumbnail} src={src} alt="" width={size} height={size} loading="lazy" decoding="async" />
);
