import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CalendarClock } from 'lucide-react';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { usePermissions, useZone } from '#web/base/session.ts';
import { EmptyState } from '#web/parts/empty-state.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { formatDays } from './format-days.ts';
import styles from './slots.module.css';
import { useSuggestion } from './use-suggestion.ts';

export const NoSlots = ({ onAdd }: { onAdd: () => void }) => {
  const { canWrite } = usePermissions();
  const zone = useZone();
  const client = useQueryClient();
  const { slots, evidence } = useSuggestion();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => app.addSlots({ timeZone: zone, slots: slots.map((slot) => ({ ...slot, days: [...slot.days] })) }),
    onSuccess: (made) => client.setQueryData(keys.slots, made),
    onSettled: () => client.invalidateQueries({ queryKey: keys.slots }),
  });
  if (!canWrite) {
    return (
      <EmptyState icon={CalendarClock} title="No slots yet">
        Slots are weekly times at which posts go out. Owners, admins and editors plan them.
      </EmptyState>
    );
  }
  return (
    <>
      <EmptyState
        icon={CalendarClock}
        title="No slots yet"
        action={
          <div className={styles.acts}>
            {slots.length > 0 && (
              <Button variant="ink" loading={isPending} onClick={() => mutate()}>
                Use these times
              </Button>
            )}
            <Button onClick={onAdd}>Add a slot yourself</Button>
          </div>
        }
      >
        <p>Plan weekly times once. Each post can then take the next free one.</p>
        {slots.length > 0 && (
          <div className={styles.suggestion}>
            <p className="small text-3" style={{ margin: '16px 0 6px' }}>
              {evidence}
            </p>
            <ul className="card" aria-label="Suggested times">
              {slots.map(({ days, time }) => (
                <li key={`${days} ${time}`} className={styles.row}>
                  <span className={`number ${styles.time}`}>{time}</span>
                  <span>{formatDays(days)}</span>
                </li>
              ))}
            </ul>
          </div>
        )}
      </EmptyState>
      {error && <FaultBanner fault={error} title="The slots were not saved" />}
    </>
  );
};
