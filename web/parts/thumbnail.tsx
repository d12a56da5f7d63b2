import styles from './thumbnail.module.css';

/** Decorative, so it has no alt text. */
export const Thumbnail = ({ src, size = 34 }: { src: string; size?: number }) => (
  <img className={styles.thumbnail} src={src} alt="" width={size} height={size} loading="lazy" decoding="async" />
);
