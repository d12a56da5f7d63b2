import { useEffect, useState } from 'react';
import styles from './skeleton-rows.module.css';

const delayMs = 150;

/** Placeholder for a few words or a number, or for a field if it has a height. */
export const Skeleton = ({ width, height }: { width: number | string; height?: number }) => (
  <i className={styles.block} style={{ width, height }} aria-hidden="true" />
);

/** Appears after a delay, so that fast loads do not flicker. */
export const SkeletonRows = ({
  rows = 4,
  height = 50,
  label = 'Loading',
}: {
  rows?: number;
  height?: number;
  label?: string;
}) => {
  const [isVisible, setIsVisible] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsVisible(true), delayMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div aria-busy="true" style={{ minHeight: rows * height }}>
      <span className="hidden">{label}</span>
      {isVisible &&
        Array.from({ length: rows }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no id
          <div key={row} className={styles.row} style={{ height }} aria-hidden="true">
            <i style={{ width: 18, borderRadius: 9 }} />
            <i style={{ width: `${[48, 34, 54, 28][row % 4]}%`, height: 12 }} />
            <i style={{ width: 64, marginLeft: 'auto' }} />
            <i style={{ width: 88, height: 12 }} />
          </div>
        ))}
    </div>
  );
};
