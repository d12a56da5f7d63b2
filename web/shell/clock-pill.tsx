import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Clock } from 'lucide-react';
import { clockAheadMs, formatSpan } from '#web/parts/time.ts';
import { useNow } from '#web/parts/use-now.ts';
import { queries } from '#web/queries.ts';
import styles from './clock-pill.module.css';

/** Shown only while the server's clock is ahead. */
export const ClockPill = () => {
  useQuery(queries.clock);
  useNow();
  const aheadMs = clockAheadMs();
  if (aheadMs === 0) return null;
  const label = `Clock is ${formatSpan(aheadMs)} ahead`;
  return (
    <Link to="/sandbox" className={styles.pill} data-tip={label}>
      <Clock size={14} aria-hidden="true" />
      <span className={styles.label}>{label}</span>
    </Link>
  );
};
