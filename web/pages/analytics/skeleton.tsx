import { useEffect, useState } from 'react';
import page from './page.module.css';
import styles from './skeleton.module.css';

const delayMs = 150;

/** The shapes of the page in their final sizes, after a delay, so that fast loads do not flicker. */
export const AnalyticsSkeleton = () => {
  const [isVisible, setIsVisible] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsVisible(true), delayMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={styles.skeleton} aria-busy="true" data-visible={isVisible || undefined}>
      <span className="hidden">Loading the numbers</span>
      <div className={styles.sentence}>
        <i />
        <i />
      </div>
      <div className={`card ${styles.totals}`} />
      <div className={page.grid}>
        {['chart', 'networks', 'times', 'posts'].map((part) => (
          <div key={part} className={`card ${styles.panel}`} />
        ))}
      </div>
    </div>
  );
};
