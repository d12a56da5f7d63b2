import { useEffect, useState } from 'react';
import styles from './hours.module.css';

const delayMs = 150;
/** Column and hours below the first row. */
const places = ['0 1', '0 4', '1 3', '2 2', '2 6', '3 5', '4 1', '5 3', '6 4'].map((place) => {
  const [column = 0, row = 0] = place.split(' ').map(Number);
  return { place, column, row };
});

/** After a delay, so that fast loads do not flicker. */
export const useIsSlow = (isLoading: boolean) => {
  const [isSlow, setIsSlow] = useState(false);
  useEffect(() => {
    if (!isLoading) return setIsSlow(false);
    const timer = setTimeout(() => setIsSlow(true), delayMs);
    return () => clearTimeout(timer);
  }, [isLoading]);
  return isSlow;
};

export const SkeletonCards = ({ columns, hour }: { columns: number; hour: number }) => {
  const isVisible = useIsSlow(true);
  if (!isVisible) return null;
  return (
    <div className={styles.skeletons} aria-hidden="true">
      {places
        .filter(({ column }) => column < columns)
        .map(({ place, column, row }) => (
          <i key={place} style={{ '--column': column, top: `${1.75 + row * hour}rem` } as React.CSSProperties} />
        ))}
    </div>
  );
};
