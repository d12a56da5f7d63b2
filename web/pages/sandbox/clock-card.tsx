import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { hourMs } from '#contracts/time';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { useSession, useZone } from '#web/base/session.ts';
import { formatDay, formatSpan, formatTime } from '#web/base/time.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { Section } from '#web/parts/section.tsx';
import { useNow } from '#web/parts/use-now.ts';
import styles from './sandbox.module.css';

const steps = [
  ['+1 h', hourMs],
  ['+6 h', 6 * hourMs],
  ['+1 d', 24 * hourMs],
  ['+7 d', 7 * 24 * hourMs],
  ['+30 d', 30 * 24 * hourMs],
] as const;

/** The clock of the whole server; only the operator moves it. */
export const ClockCard = ({ aheadMs }: { aheadMs: number }) => {
  const { operator } = useSession().user;
  const zone = useZone();
  const now = useNow();
  const client = useQueryClient();
  const { mutate, error, isPending, variables } = useMutation({
    mutationFn: (forwardMs: number) => app.moveSandboxClock({ forwardMs }),
    onSuccess: (clock) => {
      client.setQueryData(keys.clock, clock);
      // Everything due by then runs now, so all data may change.
      void client.invalidateQueries({ predicate: ({ queryKey: [domain] }) => domain !== 'clock' });
    },
  });
  return (
    <Section title="Clock" action={<span className={styles.note}>for the whole server</span>}>
      <div className={`card ${styles.clock}`}>
        <p className={styles.time}>
          <span className="number">{formatTime(now, zone)}</span> <span>{formatDay(now, zone)}</span>
          {aheadMs > 0 && <span className={styles.ahead}>{formatSpan(aheadMs)} ahead</span>}
        </p>
        {operator && (
          <fieldset className={styles.steps}>
            <legend className="hidden">Move the clock forward</legend>
            {steps.map(([label, ms]) => (
              <Button
                key={ms}
                size="xs"
                px={0}
                loading={isPending && variables === ms}
                onClick={() => !isPending && mutate(ms)}
              >
                {label}
              </Button>
            ))}
          </fieldset>
        )}
        {error && <FaultBanner fault={error} title="The clock was not moved" />}
        <p className={`small text-2 ${styles.under}`}>
          {operator
            ? 'What is due by then happens now. It does not go back.'
            : 'Only the person who set up Posthorn can move it.'}
        </p>
      </div>
    </Section>
  );
};
