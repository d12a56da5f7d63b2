import { ActionIcon, Button, Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CircleCheck, Ellipsis, RefreshCw, TriangleAlert, Unplug } from 'lucide-react';
import type { Account } from '#generated/app-client';
import { handleOf } from '#web/base/networks.ts';
import { usePermissions } from '#web/base/session.ts';
import { Avatar } from '#web/parts/avatar.tsx';
import { NetworkBadge } from '#web/parts/network-badge.tsx';
import styles from './accounts.module.css';

export const AccountRow = ({
  account,
  scheduled,
  onDisconnect,
}: {
  account: Account;
  /** Undefined while loading. */
  scheduled: number | undefined;
  onDisconnect: () => void;
}) => {
  const { canManage } = usePermissions();
  const { id, network, provider, name, status, statistics } = account;
  const handle = handleOf(account);
  const isBroken = status === 'NeedsReconnect';
  const needsSomething = isBroken || statistics === 'Reconnect';
  const reconnect = { to: '/connect/$network', params: { network }, search: { account: id } } as const;
  return (
    <li className={styles.row} data-row={id} tabIndex={-1} aria-label={`${handle} on ${provider}`}>
      <Picture account={account} />
      <span className={styles.who}>
        <span className={`one-line ${styles.handle}`} dir="auto" title={name}>
          {handle}
        </span>
        <span className={`one-line small text-3 ${styles.provider}`}>{provider}</span>
      </span>
      <Condition account={account} canReconnect={canManage} />
      <span className={`desk-only small text-2 number ${styles.scheduled}`}>
        {scheduled === undefined ? '' : scheduled === 0 ? <None /> : `${scheduled} scheduled`}
      </span>
      <span className={styles.state}>
        {needsSomething && canManage ? (
          <Button
            size="xs"
            variant={isBroken ? 'ink' : 'default'}
            renderRoot={(props) => <Link {...props} {...reconnect} />}
            aria-label={`Reconnect ${handle} on ${provider}`}
          >
            Reconnect
          </Button>
        ) : (
          <State isBroken={isBroken} />
        )}
      </span>
      {canManage && (
        <Menu width={200}>
          <Menu.Target>
            <ActionIcon className={styles.menu} aria-label={`More for ${handle} on ${provider}`}>
              <Ellipsis size={17} aria-hidden="true" />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              renderRoot={(props) => <Link {...props} {...reconnect} />}
              leftSection={<RefreshCw size={14} aria-hidden="true" />}
            >
              Reconnect
            </Menu.Item>
            <Menu.Item color="var(--red)" leftSection={<Unplug size={14} aria-hidden="true" />} onClick={onDisconnect}>
              Disconnect
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
    </li>
  );
};

const Picture = ({ account: { id, network, name, avatarUrl } }: { account: Account }) =>
  avatarUrl ? (
    <span className={styles.picture}>
      <Avatar name={name} src={`/avatars/${id}`} size={32} />
      <NetworkBadge network={network} size={16} />
    </span>
  ) : (
    <span className={styles.bare}>
      <NetworkBadge network={network} size={32} />
    </span>
  );

const Condition = ({ account, canReconnect }: { account: Account; canReconnect: boolean }) => {
  const { provider, status, statistics, statisticsMessage } = account;
  const words = {
    Ok: 'Statistics on',
    None: 'Reports no statistics',
    Reconnect: `${canReconnect ? 'Reconnect' : 'Needs reconnecting'} to read statistics: one more permission. Publishing works.`,
  };
  const isBroken = status === 'NeedsReconnect';
  const needsSomething = isBroken || statistics === 'Reconnect';
  return (
    <span
      className={`small ${styles.condition}`}
      data-odd={needsSomething || undefined}
      title={isBroken ? undefined : statisticsMessage}
    >
      {needsSomething && <TriangleAlert className="desk-only" size={15} aria-hidden="true" />}
      <span>
        {!isBroken && <span className="phone-only">{provider} · </span>}
        {isBroken
          ? `${provider} refused the sign-in. Posts to it fail until ${canReconnect ? 'you reconnect' : 'it is reconnected'}.`
          : words[statistics]}
      </span>
    </span>
  );
};

const State = ({ isBroken }: { isBroken: boolean }) =>
  isBroken ? (
    <span className={styles.broken}>
      <TriangleAlert size={16} aria-hidden="true" /> <span className="phone-hidden">Refused</span>
    </span>
  ) : (
    <span className={styles.connected}>
      <CircleCheck size={16} aria-hidden="true" /> <span className="phone-hidden">Connected</span>
    </span>
  );

const None = () => (
  <>
    <span aria-hidden="true">—</span>
    <span className="hidden">nothing scheduled</span>
  </>
);
