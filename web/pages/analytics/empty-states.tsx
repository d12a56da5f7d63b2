import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { ChartLine } from 'lucide-react';
import { usePermissions } from '#web/base/session.ts';
import { EmptyState } from '#web/parts/empty-state.tsx';
import { Kbd } from '#web/parts/kbd.tsx';
import { bandsOf } from './bands.ts';
import { OverTime } from './over-time.tsx';
import styles from './page.module.css';
import { Panel } from './panel.tsx';
import { sampleNumbers } from './sample-numbers.ts';
import { Totals } from './totals.tsx';
import type { useRange } from './use-range.ts';
import { WeekTable } from './week-table.tsx';

/** There are posts, but none in this range or for these accounts. */
export const NothingInRange = ({ view }: { view: ReturnType<typeof useRange> }) => (
  <EmptyState
    icon={ChartLine}
    title={view.accountIds.length > 0 ? 'These accounts had no post in these days' : 'No post went out in these days'}
    action={
      view.accountIds.length > 0 ? (
        <Button onClick={() => void view.setAccounts([])}>Show all accounts</Button>
      ) : (
        view.range.choice !== 'year' && <Button onClick={() => void view.setPreset('year')}>Show a year</Button>
      )
    }
  >
    Choose other dates{view.accountIds.length > 0 ? ' or accounts' : ''} to see numbers.
  </EmptyState>
);

/** Before the first post: a greyed-out sample. */
export const NothingYet = ({ view }: { view: ReturnType<typeof useRange> }) => {
  const { canWrite } = usePermissions();
  const sample = sampleNumbers(view.range);
  const { bestTimes } = sample.summary;
  return (
    <div className={styles.nothing}>
      <div className={styles.words}>
        <EmptyState
          icon={ChartLine}
          title="First numbers come 1 hour after a post goes out"
          action={
            canWrite && (
              <Button
                variant="ink"
                renderRoot={(props) => <Link to="/posts/$id" params={{ id: 'new' }} {...props} />}
                rightSection={<Kbd keys="C" inverse />}
              >
                Write a post
              </Button>
            )
          }
        >
          They are read again after 6 hours, 1, 3, 7 and 30 days.
        </EmptyState>
      </div>
      <div className={styles.sample} aria-hidden="true" inert>
        <Totals numbers={sample} comparison={{ is: 'first', days: view.range.days }} days={view.range.days} />
        <div className={styles.grid}>
          <OverTime
            numbers={sample}
            range={view.range}
            comparison={{ is: 'none' }}
            today={view.today}
            zone={view.zone}
          />
          <Panel title="Best times">
            <WeekTable bands={bandsOf(bestTimes)} selected={undefined} onSelect={() => undefined} />
          </Panel>
        </div>
      </div>
    </div>
  );
};
