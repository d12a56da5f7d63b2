import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Bell, Settings2 } from 'lucide-react';
import { useRef } from 'react';
import { EmptyState } from '#web/parts/empty-state.tsx';
import { FaultBanner } from '#web/parts/fault.tsx';
import { useListKeys } from '#web/parts/list.tsx';
import { PageHeader } from '#web/parts/page-header.tsx';
import { Column, Section } from '#web/parts/section.tsx';
import { SkeletonRows } from '#web/parts/skeleton-rows.tsx';
import { NotificationRow } from './notification-row.tsx';
import styles from './notifications.module.css';
import { useMark, useNotifications } from './use-notifications.ts';

const NotificationsPage = () => {
  const { needsYou, earlier, unread, error, isPending, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } =
    useNotifications();
  const mark = useMark();
  const area = useRef<HTMLDivElement>(null);
  useListKeys(area);
  const isEmpty = !isPending && !error && needsYou.length + earlier.length === 0;
  return (
    <>
      <PageHeader
        title="Notifications"
        meta={unread > 0 ? `${unread} unread` : undefined}
        actions={
          <>
            {unread > 0 && (
              <Button
                loading={mark.isPending && mark.variables.ids === undefined}
                onClick={() => mark.mutate({ read: true })}
              >
                Mark all read
              </Button>
            )}
            <Tooltip label="Choose what you hear about">
              <ActionIcon
                size={34}
                aria-label="Choose what you hear about"
                renderRoot={(props) => <Link to="/settings/profile" hash="notifications" {...props} />}
              >
                <Settings2 size={17} strokeWidth={1.75} aria-hidden="true" />
              </ActionIcon>
            </Tooltip>
          </>
        }
      />
      <Column width="narrow">
        {error && <FaultBanner fault={error} title="The notifications could not be loaded" onRetry={refetch} />}
        {isPending && <SkeletonRows rows={6} height={60} />}
        {isEmpty && (
          <EmptyState icon={Bell} title="Nothing to tell yet">
            Requests from agents, posts that fail and accounts that need you appear here.
          </EmptyState>
        )}
        <div ref={area}>
          {needsYou.length > 0 && (
            <Section title="Needs you" note={<span className="number">{needsYou.length}</span>} card>
              <ul className={styles.list} aria-label="Needs you">
                {needsYou.map((one) => (
                  <NotificationRow key={one.id} notification={one} onMark={mark.mutate} />
                ))}
              </ul>
            </Section>
          )}
          {earlier.length > 0 && (
            <Section title="Earlier" note="kept for 90 days" card>
              <ul className={styles.list} aria-label="Earlier">
                {earlier.map((one) => (
                  <NotificationRow key={one.id} notification={one} onMark={mark.mutate} />
                ))}
              </ul>
            </Section>
          )}
        </div>
        {hasNextPage && (
          <div className={styles.more}>
            <Button loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Show more
            </Button>
          </div>
        )}
      </Column>
    </>
  );
};

export default NotificationsPage;
