import { Button, Checkbox, Progress } from '@mantine/core';
import { Clock, Save, Stamp, Undo2 } from 'lucide-react';
import { useState } from 'react';
import type { Import, UndoImportOutput } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { usePermissions } from '#web/base/session.ts';
import { useActLabel, useApproverNames } from '#web/parts/approval-requests.ts';
import { ConfirmDialog } from '#web/parts/confirm-dialog.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { count, formatNumber } from '#web/parts/number.ts';
import { showToast } from '#web/parts/toasts.tsx';
import styles from './import.module.css';
import { Stayed } from './stayed.tsx';
import { useBatches, type Work } from './use-batches.ts';

/** Saving and scheduling are separate: scheduling makes posts public. */
export const ImportActions = ({ report: { id, totals } }: { report: Import }) => {
  const { canOnlyAsk } = usePermissions();
  const label = useActLabel();
  const approvers = useApproverNames();
  const scheduleWord = label('Schedule');
  const [unmatched, setUnmatched] = useState(false);
  const [duplicates, setDuplicates] = useState(false);
  const [isConfirming, setIsConfirming] = useState(false);
  const [isUndoing, setIsUndoing] = useState(false);
  const [stayed, setStayed] = useState<UndoImportOutput['stayed']>([]);
  const { running, fault, run, stop } = useBatches(id);
  const toSave = totals.ready + (unmatched ? totals.unmatched : 0) + (duplicates ? totals.duplicate : 0);
  const canSave = totals.ready + totals.unmatched + totals.duplicate > 0;
  const save = () => run('save', (after) => app.saveImport({ id, after, unmatched, duplicates }));
  const undo = () =>
    run('undo', async (after) => {
      const answer = await app.undoImport({ id, after });
      setStayed(answer.stayed);
      return answer;
    });
  const drafts = totals.saved - totals.scheduled;
  const schedule = () => {
    let requests = 0;
    return run('schedule', async (after) => {
      const answer = await app.scheduleImport({ id, after });
      requests += answer.asked;
      if (answer.next === undefined && requests > 0) {
        showToast({ icon: Stamp, tone: 'brass', text: `${count(requests, 'request')}; waiting for ${approvers}.` });
      }
      return answer;
    });
  };
  return (
    <div className={`card ${styles.acts}`}>
      <p role="status" className={styles.state}>
        {running
          ? `${doing[running.what]}, row ${formatNumber(running.row)} of ${formatNumber(totals.rows)}`
          : describeState(totals)}
      </p>
      {running ? (
        <div className={styles.running}>
          <Progress
            size={4}
            color="var(--chart-1)"
            value={(running.row / Math.max(1, totals.rows)) * 100}
            animated
            aria-label={doing[running.what]}
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
                {scheduleWord} {count(totals.schedulable, 'post')}
              </Button>
            )}
            {drafts > 0 && (
              <Button leftSection={<Undo2 size={16} aria-hidden="true" />} onClick={() => setIsUndoing(true)}>
                Undo the import
              </Button>
            )}
          </div>
          <Stayed posts={stayed} />
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
        title={`${scheduleWord} ${count(totals.schedulable, 'post')}?`}
        act={`${scheduleWord} ${count(totals.schedulable, 'post')}`}
        kind="send"
        onConfirm={async () => schedule()}
      >
        {canOnlyAsk
          ? `Each becomes a request, and goes public at its own time when ${approvers} approves it.`
          : 'Each goes public at its own time.'}{' '}
        One that breaks a limit stays a draft, and its row says why.
      </ConfirmDialog>
      <ConfirmDialog
        opened={isUndoing}
        onClose={() => setIsUndoing(false)}
        title={`Move ${count(drafts, 'draft')} to the bin?`}
        act={`Move ${count(drafts, 'draft')}`}
        kind="danger"
        onConfirm={async () => undo()}
      >
        They can be restored for 30 days, also those that were changed since.
        {totals.scheduled > 0 &&
          ` ${count(totals.scheduled, 'post')} of this import ${totals.scheduled === 1 ? 'is' : 'are'} no longer a draft and will stay.`}
      </ConfirmDialog>
    </div>
  );
};

const doing: Record<Work, string> = { save: 'Saving', schedule: 'Scheduling', undo: 'Moving to the bin' };

const describeState = ({ rows, ready, blocked, saved, scheduled, schedulable, failed }: Import['totals']) => {
  const trouble = failed > 0 ? ` ${count(failed, 'row')} failed; “Problems only” says why.` : '';
  const limits =
    blocked > 0
      ? ` ${count(blocked, 'row')} can be saved but not scheduled as ${blocked === 1 ? 'it is' : 'they are'}; “Problems only” says why.`
      : '';
  if (saved === 0) {
    return ready === 0
      ? `Nothing of ${count(rows, 'row')} can be saved as it is. Nothing is saved yet.${limits}${trouble}`
      : `Nothing is saved yet. ${count(ready, 'row')} of ${formatNumber(rows)} can be saved.${limits}${trouble}`;
  }
  const done = scheduled > 0 ? `${formatNumber(scheduled)} of them scheduled` : 'nothing goes out by itself';
  const next =
    schedulable > 0
      ? ` ${formatNumber(schedulable)} ${schedulable === 1 ? 'has' : 'have'} an account and a time to come.`
      : '';
  return `${count(saved, 'draft')} saved, ${done}.${next}${limits}${trouble}`;
};
