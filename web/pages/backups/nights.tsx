import { Check, Ellipsis, Minus, X } from 'lucide-react';
import type { Backup } from '#generated/app-client';
import { useZone } from '#web/base/session.ts';
import { addDays, dateIn, now } from '#web/base/time.ts';
import { When } from '#web/parts/when.tsx';
import styles from './backups.module.css';

const nightCount = 14;

/** The last two weeks at a glance: which nights have a backup that could be restored. */
export const Nights = ({ backups }: { backups: readonly Backup[] }) => {
  const zone = useZone();
  const dayOf = (at: Date | string) => dateIn(at, zone);
  const byDay = new Map(backups.filter(({ reason }) => reason === 'Nightly').map((one) => [dayOf(one.startedAt), one]));
  const nights = Array.from({ length: nightCount }, (_, index) => {
    const day = addDays(dayOf(now()), index - nightCount + 1);
    return { day, backup: byDay.get(day) };
  });
  const first = nights.findIndex(({ backup }) => backup !== undefined);
  if (first < 0) return null;
  const bad = nights.filter(({ backup }) => backup !== undefined && stateOf(backup) === 'bad');
  return (
    <>
      <ol className={styles.nights} aria-label="The last nights">
        {nights.slice(first).map(({ day, backup }) => {
          const state = stateOf(backup);
          const { Icon, words } = looks[state];
          return (
            <li key={day}>
              <span className={styles.night} data-state={state}>
                <Icon size={13} aria-hidden="true" />
                <span className="hidden">{words}, </span>
              </span>
              {Number(day.slice(8))}
            </li>
          );
        })}
      </ol>
      {bad.map(({ day, backup }) => (
        <p key={day} className={styles.nightProblem}>
          {backup && <When at={backup.startedAt} form="day" />}:{' '}
          {backup?.state === 'Failed' ? 'not made' : backup?.verifiedAt ? 'not complete' : 'could not be restored'}.{' '}
          {backup?.problem}
        </p>
      ))}
    </>
  );
};

const stateOf = (backup: Backup | undefined) => {
  if (backup === undefined) return 'none';
  if (backup.state === 'Failed' || backup.problem) return 'bad';
  return backup.verifiedAt ? 'good' : 'untested';
};

const looks = {
  good: { Icon: Check, words: 'made and tested' },
  bad: { Icon: X, words: 'not good' },
  untested: { Icon: Ellipsis, words: 'not tested yet' },
  none: { Icon: Minus, words: 'no backup' },
};
