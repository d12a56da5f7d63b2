import type { ImportTotals } from '#generated/app-client';
import { formatNumber } from '#web/parts/number.ts';
import styles from './import.module.css';

/** Row counts by state. */
export const Totals = ({ totals }: { totals: ImportTotals }) => (
  <dl className={`card ${styles.totals}`}>
    <Total name="Rows" value={totals.rows} />
    <Total name="Ready to save" value={totals.ready} />
    <Total name="Accounts unknown" value={totals.unmatched} />
    <Total name="Duplicates" value={totals.duplicate} />
    <Total name="With a problem" value={totals.bad} tone={totals.bad > 0 ? 'red' : undefined} />
    <Total name="Saved" value={totals.saved} />
    <Total name="Scheduled" value={totals.scheduled} />
  </dl>
);

const Total = ({ name, value, tone }: { name: string; value: number; tone?: 'red' | undefined }) => (
  <div>
    <dt>{name}</dt>
    <dd className="number" data-tone={tone}>
      {formatNumber(value)}
    </dd>
  </div>
);
