import { Button } from '@mantine/core';
import { Unplug } from 'lucide-react';
import type { Account } from '#generated/app-client';
import { usePermissions } from '#web/base/session.ts';
import styles from './reconnect.module.css';

const pathOf = (account: Account) => `/connect/${encodeURIComponent(account.network)}`;

export const ReconnectButton = ({ account, provider }: { account: Account; provider: string }) =>
  usePermissions().canManage ? (
    <Button component="a" variant="ink" size="xs" href={pathOf(account)}>
      Reconnect {provider}
    </Button>
  ) : (
    <span className="small text-2">Ask an owner or admin to reconnect {provider}.</span>
  );

/** Shown instead of numbers when only reading statistics is refused. */
export const ReconnectNote = ({ account }: { account: Account }) => {
  const text = (
    <>
      <Unplug size={16} aria-hidden="true" />
      Reconnect to read statistics
    </>
  );
  return usePermissions().canManage ? (
    <a className={`small ${styles.note}`} href={pathOf(account)} title={account.statisticsMessage}>
      {text}
    </a>
  ) : (
    <span className={`small ${styles.note}`} title={account.statisticsMessage}>
      {text}
    </span>
  );
};
