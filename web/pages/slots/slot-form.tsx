import { Button, Modal } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Slot } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys, queries } from '#web/base/queries.ts';
import { AccountChip } from '#web/parts/account-chip.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { TimeInput } from '#web/parts/time-input.tsx';
import { parseTime } from '#web/parts/time-picker/parse-time.ts';
import { useFormDraft } from '#web/parts/use-form-draft.ts';
import { dayNames, longNames } from './format-days.ts';
import styles from './slots.module.css';

const workdays: readonly number[] = [1, 2, 3, 4, 5];

export const SlotForm = ({
  slot,
  zone,
  onClose,
}: {
  slot: Slot | 'new' | undefined;
  zone: string;
  onClose: () => void;
}) => (
  <Modal
    opened={slot !== undefined}
    onClose={onClose}
    title={typeof slot === 'object' ? 'Change the slot' : 'Add a slot'}
    size={520}
  >
    {slot !== undefined && <Fields slot={slot === 'new' ? undefined : slot} zone={zone} onClose={onClose} />}
  </Modal>
);

const Fields = ({ slot, zone, onClose }: { slot: Slot | undefined; zone: string; onClose: () => void }) => {
  const list = useQuery(queries.accounts).data?.accounts;
  const client = useQueryClient();
  const [days, setDays] = useFormDraft<readonly number[]>('days', slot?.days ?? workdays);
  const [timeText, setTimeText] = useFormDraft('time', slot?.time ?? '09:00');
  const parsed = parseTime(timeText, '');
  // A slot has weekdays of its own, so a day in the text is a mistake.
  const time = parsed?.date === undefined ? parsed?.time : undefined;
  const [accountIds, setAccounts] = useFormDraft<readonly string[]>('accounts', slot?.accountIds ?? []);
  // Drops disconnected accounts. Until the list has loaded, we cannot tell which ones those are.
  const accounts = list ? accountIds.filter((id) => list.some((account) => account.id === id)) : accountIds;
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => {
      const input = { days: [...days], time: time ?? '', accountIds: [...accounts] };
      return slot ? app.changeSlot({ id: slot.id, ...input }) : app.addSlots({ timeZone: zone, slots: [input] });
    },
    onSuccess: async (slots) => {
      client.setQueryData(keys.slots, slots);
      await client.invalidateQueries({ queryKey: keys.slots });
      onClose();
    },
  });
  const noDay = days.length === 0 ? 'Choose at least one day.' : undefined;
  const noTime = time === undefined ? 'Write a time such as 08:30 or 9pm.' : undefined;
  const toggle = <T,>(all: readonly T[], one: T) =>
    all.includes(one) ? all.filter((other) => other !== one) : [...all, one];
  return (
    <form
      className="fields"
      onSubmit={(event) => {
        event.preventDefault();
        if (!noDay && !noTime) mutate();
      }}
    >
      <TimeInput
        label="Time"
        w={220}
        description={time !== undefined && time !== timeText.trim() ? `That is ${time}.` : undefined}
        value={timeText}
        error={noTime}
        data-autofocus
        onChange={setTimeText}
      />
      <p className={`small text-3 ${styles.zone}`}>
        On the clocks of {zone.replaceAll('_', ' ')}, in summer and in winter.
      </p>
      <fieldset className={styles.days}>
        <legend className={styles.legend}>Days</legend>
        {dayNames.map((name, index) => (
          <button
            key={name}
            type="button"
            className={styles.toggle}
            aria-pressed={days.includes(index + 1)}
            aria-label={longNames[index]}
            onClick={() => setDays(toggle(days, index + 1))}
          >
            {name}
          </button>
        ))}
        {noDay && (
          <p className={styles.problem} role="alert">
            {noDay}
          </p>
        )}
      </fieldset>
      {list && list.length > 0 && (
        <fieldset className={styles.days}>
          <legend className={styles.legend}>Accounts</legend>
          {list.map((account) => (
            <AccountChip
              key={account.id}
              account={account}
              pressed={accounts.includes(account.id)}
              onToggle={() => setAccounts(toggle(accounts, account.id))}
            />
          ))}
          <p className="small text-3" style={{ width: '100%' }}>
            {accounts.length === 0
              ? 'None chosen: the slot is for all accounts.'
              : 'Offered only to posts that go to these accounts.'}
          </p>
        </fieldset>
      )}
      {error && <FaultBanner fault={error} title="The slot was not saved" />}
      <div className="buttons">
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant="ink" loading={isPending}>
          {slot ? 'Save' : 'Add slot'}
        </Button>
      </div>
    </form>
  );
};
