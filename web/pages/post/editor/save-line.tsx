import { Check, CloudOff, LoaderCircle, TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useZone } from '#web/base/session.ts';
import { dateIn, formatSaid, formatTime, now } from '#web/base/time.ts';
import styles from './save-line.module.css';
import { useEditor } from './use-editor.ts';

/** Save state. `short`: for phones. */
export const SaveLine = ({ short = false }: { short?: boolean }) => {
  const {
    save: { phase, base, savedAt, retryAt },
  } = useEditor();
  const zone = useZone();
  const seconds = useSecondsUntil(retryAt);
  const line = (icon: React.ReactNode, text: React.ReactNode, tone?: 'orange') => (
    <span className={styles.line} data-tone={tone} role="status">
      {icon}
      {text}
    </span>
  );
  if (phase === 'dirty' || phase === 'saving') {
    return line(<LoaderCircle className={styles.turns} size={14} aria-hidden="true" />, 'Saving…');
  }
  if (phase === 'waiting') {
    if (short || !navigator.onLine) return line(<CloudOff size={14} aria-hidden="true" />, 'Kept in this browser');
    // Screen readers would read the status again every second.
    const countdown = <span aria-hidden="true"> in {seconds} s</span>;
    return line(<CloudOff size={14} aria-hidden="true" />, <span>Not saved. Trying again{countdown}.</span>, 'orange');
  }
  if (phase === 'held') return line(<TriangleAlert size={14} aria-hidden="true" />, 'Not requested yet', 'orange');
  if (phase === 'refused' || phase === 'conflict') {
    return line(<TriangleAlert size={14} aria-hidden="true" />, 'Not saved', 'orange');
  }
  if (base === undefined) return line(null, '');
  const at = savedAt ?? base.updatedAt;
  const time = dateIn(at, zone) === dateIn(now(), zone) ? formatTime(at, zone) : formatSaid(at, zone);
  return line(<Check size={14} aria-hidden="true" />, short ? 'Saved' : savedAtTime(time));
};

/** A narrow header only shows the time; screen readers read both. */
const savedAtTime = (time: string) => (
  <span>
    <span className={styles.word}>Saved </span>
    {time}
  </span>
);

const useSecondsUntil = (at: number | undefined) => {
  const [, setTick] = useState(0);
  useEffect(() => {
    if (at === undefined) return;
    const timer = setInterval(() => setTick((tick) => tick + 1), 500);
    return () => clearInterval(timer);
  }, [at]);
  return at === undefined ? 0 : Math.max(1, Math.ceil((at - performance.now()) / 1000));
};
