import { ActionIcon, Menu } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Ellipsis, Pencil, Trash2 } from 'lucide-react';
import type { Slot } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { handleOf } from '#web/base/networks.ts';
import { keys } from '#web/base/queries.ts';
import { usePermissions } from '#web/base/session.ts';
import { NetworkBadges } from '#web/parts/network-badge.tsx';
import { count } from '#web/parts/number.ts';
import { showFault, showToast } from '#web/parts/toasts.tsx';
import { useAccounts } from '#web/parts/use-accounts.ts';
import { useOptimisticChange, usePendingChanges } from '#web/parts/use-optimistic-change.ts';
import { dayNames, formatDays } from './format-days.ts';
import styles from './slots.module.css';

const deleteKey = ['deleted slot'];

export const SlotList = ({ slots, onChange }: { slots: readonly Slot[]; onChange: (slot: Slot) => void }) => {
  const { canWrite } = usePermissions();
  const deletedIds = usePendingChanges<string>(deleteKey);
  const remaining = slots.filter(({ id }) => !deletedIds.includes(id));
  return (
    <ul aria-label="Weekly times">
      {remaining.map((slot) => (
        <li key={slot.id} className={styles.row}>
          <span className={`number ${styles.time}`}>{slot.time}</span>
          <span className="lines">
            <span>{formatDays(slot.days)}</span>
            <ForWhom slot={slot} />
          </span>
          <span className={styles.week} aria-hidden="true">
            {dayNames.map((name, index) => (
              <span key={name} className={styles.day} data-off={!slot.days.includes(index + 1) || undefined}>
                {name.slice(0, 2)}
              </span>
            ))}
          </span>
          {canWrite && <SlotMenu slot={slot} onChange={() => onChange(slot)} />}
        </li>
      ))}
    </ul>
  );
};

const ForWhom = ({ slot: { accountIds } }: { slot: Slot }) => {
  const { byId, networksOf, absentName } = useAccounts();
  if (accountIds.length === 0) return <span className="small text-3">All accounts</span>;
  const connected = accountIds.flatMap((id) => byId.get(id) ?? []);
  const absentCount = accountIds.length - connected.length;
  return (
    <span className="small text-3" style={{ display: 'flex', gap: 6, alignItems: 'center', minWidth: 0 }}>
      <NetworkBadges networks={networksOf(accountIds)} size={16} max={4} />
      <span className="one-line" dir="auto">
        {connected.length <= 2 ? connected.map(handleOf).join(', ') : count(connected.length, 'account')}
        {absentCount > 0 && `${connected.length > 0 ? ', ' : ''}${count(absentCount, absentName)}`}
      </span>
    </span>
  );
};

const SlotMenu = ({ slot, onChange }: { slot: Slot; onChange: () => void }) => {
  const client = useQueryClient();
  const remove = useOptimisticChange({
    key: deleteKey,
    send: (id: string) => app.deleteSlot({ id }),
    onSuccess: () => {
      const { days, time, accountIds } = slot;
      const restore = () =>
        app
          .addSlots({ slots: [{ days, time, accountIds }] })
          .then(() => client.invalidateQueries({ queryKey: keys.slots }), showFault);
      showToast({
        text: `Slot at ${time} deleted. Scheduled posts stay.`,
        icon: Trash2,
        action: { label: 'Undo', onClick: () => void restore() },
      });
      return client.invalidateQueries({ queryKey: keys.slots });
    },
  });
  return (
    <Menu width={160}>
      <Menu.Target>
        <ActionIcon aria-label={`Actions for the slot at ${slot.time}, ${formatDays(slot.days)}`}>
          <Ellipsis size={18} aria-hidden="true" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Pencil size={15} aria-hidden="true" />} onClick={onChange}>
          Change
        </Menu.Item>
        <Menu.Item
          color="var(--red)"
          leftSection={<Trash2 size={15} aria-hidden="true" />}
          onClick={() => remove.mutate(slot.id)}
        >
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
};
