import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Account } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { List } from '#web/parts/list.tsx';
import { AccountRow } from './account-row.tsx';
import styles from './accounts.module.css';
import { DisconnectDialog } from './disconnect-dialog.tsx';

/** Accounts that need action come first: refused access, then a missing permission. */
const urgency = ({ status, statistics }: Account) => {
  if (status === 'NeedsReconnect') return 0;
  return statistics === 'Reconnect' ? 1 : 2;
};

export const AccountList = ({ accounts }: { accounts: readonly Account[] }) => {
  const scheduled = useQuery({
    queryKey: keys.scheduledByAccount,
    queryFn: ({ signal }) => app.countScheduled({ signal }),
  }).data?.accounts;
  const [disconnecting, setDisconnecting] = useState<Account>();
  return (
    <>
      <div className={styles.list}>
        <List label="Accounts">
          {accounts
            .toSorted((one, other) => urgency(one) - urgency(other))
            .map((account) => (
              <AccountRow
                key={account.id}
                account={account}
                scheduled={scheduled && (scheduled.find(({ id }) => id === account.id)?.scheduled ?? 0)}
                onDisconnect={() => setDisconnecting(account)}
              />
            ))}
        </List>
      </div>
      <DisconnectDialog account={disconnecting} onClose={() => setDisconnecting(undefined)} />
    </>
  );
};
