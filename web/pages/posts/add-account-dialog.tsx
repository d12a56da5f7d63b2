import { Button, Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SelectedPost } from '#generated/app-client';
import { handleOf } from '#web/base/networks.ts';
import { queries } from '#web/base/queries.ts';
import { usePermissions } from '#web/base/session.ts';
import { AccountChip } from '#web/parts/account-chip.tsx';
import { useActLabel } from '#web/parts/approval-requests.ts';
import { Loaded } from '#web/parts/loaded.tsx';
import { count } from '#web/parts/number.ts';
import { useAccounts } from '#web/parts/use-accounts.ts';
import styles from './posts.module.css';
import { useBulkActions } from './use-bulk-actions.ts';

const AddAccountDialog = ({
  posts,
  onClose,
  onAdded,
}: {
  posts: readonly SelectedPost[];
  onClose: () => void;
  onAdded: () => void;
}) => {
  const { list } = useAccounts();
  const accounts = useQuery(queries.accounts);
  const { addAccount } = useBulkActions();
  const label = useActLabel();
  const { canOnlyAsk } = usePermissions();
  const [chosen, setChosen] = useState<string>();
  const account = list.find(({ id }) => id === chosen);
  const without = posts.filter(({ accountIds }) => chosen === undefined || !accountIds.includes(chosen));
  const scheduled = without.filter(({ status }) => status === 'Scheduled').length;
  return (
    <Modal opened onClose={onClose} title={`Add an account to ${count(posts.length, 'post')}`} size={520}>
      <fieldset className={styles.accountChoice}>
        <legend className="hidden">Account</legend>
        {list.map((one) => (
          <AccountChip key={one.id} account={one} pressed={one.id === chosen} onToggle={() => setChosen(one.id)} />
        ))}
        <Loaded query={accounts} title="The accounts could not be loaded" rows={1}>
          {() => list.length === 0 && <p>No account is connected.</p>}
        </Loaded>
      </fieldset>
      <p className={styles.planIntro} role="status">
        {account !== undefined &&
          (without.length === 0
            ? 'All of them already go to this account.'
            : scheduled > 0
              ? `${count(scheduled, 'scheduled post')} will go out there too${canOnlyAsk ? ' when somebody approves that' : ''}.`
              : '')}
      </p>
      <div className={styles.planButtons}>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button
          variant={scheduled > 0 && account !== undefined ? 'send' : 'ink'}
          disabled={account === undefined || without.length === 0}
          onClick={() => {
            if (account) void addAccount(posts, account.id, handleOf(account));
            onClose();
            onAdded();
          }}
        >
          {account === undefined
            ? 'Add'
            : label(`Add to ${count(without.length, 'post')}`, { isFree: scheduled === 0 })}
        </Button>
      </div>
    </Modal>
  );
};

export default AddAccountDialog;
