import { Button, Checkbox, Progress } from '@mantine/core';
import { Clock, Save } from 'lucide-react';
import { useState } from 'react';
import type { Import } from '#generated/app-client';
import { app } from '#web/api.ts';
import { ConfirmDialog } from '#web/parts/confirm-dialog.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { count, formatNumber } from '#web/parts/number.ts';
import styles from './import.module.css';
import { useBatches } from './use-batches.ts';

/** Saving and scheduling are separate: scheduling makes posts public. */
export const ImportActions = ({ report: { id, totals } }: { report: Import }) => {
  const [unmatched, setUnmatched] = useState(false);
  const [duplicates, setDuplicates] = useState(false);
  const [isConfirming, setIsConfirming] = useState(false);
  const { running, fault, run, stop } = useBatches(id);
  const toSave = totals.ready + (unmatched ? totals.unmatched : 0) + (duplicates ? totals.duplicate : 0);
  const canSave = totals.ready + totals.unmatched + totals.duplicate > 0;
  const save = () => run('save', (after) => app.saveImport({ id, after, unmatched, duplicates }));
  const schedule = () => run('schedule', (after) => app.scheduleImport({ id, after }));
  return (
    <div className={`card ${styles.acts}`}>
      <p role="status" className={styles.state}>
        {running
          ? `${running.what === 'save' ? 'Saving' : 'Scheduling'}, row ${formatNumber(running.row)} of ${formatNumber(totals.rows)}`
          : describeState(totals)}
      </p>
      {running ? (
        <div className={styles.running}>
          <Progress
            size={4}
            color="var(--chart-1)"
            value={(running.row / Math.max(1, totals.rows)) * 100}
            animated
            aria-label={running.what === 'save' ? 'Saving drafts' : 'Scheduling posts'}
          />
          <Button size="xs" onClick={stop}>
            Stop
          </Button>
        </div>
      ) : (
        <>
          {totals.unmatched > 0 && (
            <Checkbox
              checked={unmatched}
              onChange={(event) => setUnmatched(event.currentTarget.checked)}
              label={`Save ${count(totals.unmatched, 'row')} without the accounts that are not connected here`}
            />
          )}
          {totals.duplicate > 0 && (
            <Checkbox
              checked={duplicates}
              onChange={(event) => setDuplicates(event.currentTarget.checked)}
              label={`Save ${count(totals.duplicate, 'duplicate')} once more`}
            />
          )}
          <div className={styles.buttons}>
            {canSave && (
              <Button
                variant="ink"
                leftSection={<Save size={16} aria-hidden="true" />}
                aria-disabled={toSave === 0 || undefined}
                onClick={() => toSave > 0 && save()}
              >
                Save {count(toSave, 'draft')}
              </Button>
            )}
            {canSave && toSave === 0 && <span className="small text-3">Choose above which rows to save.</span>}
            {totals.schedulable > 0 && (
              <Button
                variant="send"
                leftSection={<Clock size={16} aria-hidden="true" />}
                onClick={() => setIsConfirming(true)}
              >
                Schedule {count(totals.schedulable, 'post')}
              </Button>
            )}
          </div>
        </>
      )}
      {fault !== undefined && (
        <FaultBanner
          fault={fault}
          title="It stopped before the end. What is saved stays saved; go on whenever you like."
        />
      )}
      <ConfirmDialog
        opened={isConfirming}
        onClose={() => setIsConfirming(false)}
        title={`Schedule ${count(totals.schedulable, 'post')}?`}
        act={`Schedule ${count(totals.schedulable, 'post')}`}
        kind="send"
        onConfirm={async () => schedule()}
      >
        Each goes public at its own time. One that breaks a limit stays a draft, and its row says why.
      </ConfirmDialog>
    </div>
  );
};

const describeState = ({ rows, ready, saved, scheduled, schedulable, failed }: Import['totals']) => {
  const trouble = failed > 0 ? ` ${count(failed, 'row')} failed; “Problems only” says why.` : '';
  if (saved === 0) {
    return ready === 0
      ? `Nothing of ${count(rows, 'row')} can be saved as it is. Nothing is saved yet.${trouble}`
      : `Nothing is saved yet. ${count(ready, 'row')} of ${formatNumber(rows)} ${ready === 1 ? 'is' : 'are'} ready.${trouble}`;
  }
  const done = scheduled > 0 ? `${formatNumber(scheduled)} of them scheduled` : 'nothing goes out by itself';
  const next = schedulable > 0 ? ` ${formatNumber(schedulable)} can be scheduled for their time.` : '';
  return `${count(saved, 'draft')} saved, ${done}.${next}${trouble}`;
};
