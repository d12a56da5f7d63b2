import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Clock } from 'lucide-react';
import { queries } from '#web/base/queries.ts';
import { clockAheadMs, formatSpan } from '#web/base/time.ts';
import { useNow } from '#web/parts/use-now.ts';
import styles from './clock-pill.module.css';
import { useHasSandbox } from './use-nav-items.ts';

/**
 * Shown only while the sandbox clock is ahead: it can only be moved forward. If there is no sandbox, or the server is
 * behind, the clock of the person's own device is wrong.
 */
export const ClockPill = ({ onGo }: { onGo?: () => void }) => {
  useQuery(queries.clock);
  useNow();
  const aheadMs = clockAheadMs();
  const hasSandbox = useHasSandbox();
  if (aheadMs <= 0 || !hasSandbox) return null;
  const label = `Clock is ${formatSpan(aheadMs)} ahead`;
  return (
    <Link to="/sandbox" className={styles.pill} data-tip={label} onClick={onGo}>
      <Clock size={14} aria-hidden="true" />
      <span className="rail-hidden">{label}</span>
    </Link>
  );
};
