import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Bell, Settings2 } from 'lucide-react';
import { useRef } from 'react';
import { EmptyState } from '#web/parts/empty-state.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { useListKeys } from '#web/parts/list.tsx';
import { Loaded } from '#web/parts/loaded.tsx';
import { PageHeader } from '#web/parts/page-header.tsx';
import { Column, Section } from '#web/parts/section.tsx';
import { NotificationRow } from './notification-row.tsx';
import styles from './notifications.module.css';
import { useMark, useNotifications } from './use-notifications.ts';

const NotificationsPage = () => {
  const query = useNotifications();
  const { needsYou, earlier, unread, isFetchNextPageError: isMoreMissing } = query;
  const mark = useMark();
  const area = useRef<HTMLDivElement>(null);
  useListKeys(area);
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
        <Loaded
          query={isMoreMissing ? { ...query, error: null } : query}
          title="The notifications could not be loaded"
          rows={6}
          height={60}
        >
          {() =>
            needsYou.length + earlier.length === 0 && (
              <EmptyState icon={Bell} title="Nothing to tell yet">
                Requests from agents, posts that fail and accounts that need you appear here.
              </EmptyState>
            )
          }
        </Loaded>
        <div ref={area} className={styles.lists}>
          {needsYou.length > 0 && (
            <Section title="Needs you" card>
              <ul aria-label="Needs you">
                {needsYou.map((one) => (
                  <NotificationRow key={one.id} notification={one} onMark={mark.mutate} />
                ))}
              </ul>
            </Section>
          )}
          {earlier.length > 0 && (
            <Section title="Earlier" note="kept for 90 days" card>
              <ul aria-label="Earlier">
                {earlier.map((one) => (
                  <NotificationRow key={one.id} notification={one} onMark={mark.mutate} />
                ))}
              </ul>
            </Section>
          )}
        </div>
        {query.hasNextPage && (
          <div className={styles.more}>
            {isMoreMissing ? (
              <FaultBanner
                fault={query.error}
                title="Earlier ones could not be loaded"
                onRetry={() => void query.fetchNextPage()}
              />
            ) : (
              <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                Show more
              </Button>
            )}
          </div>
        )}
      </Column>
    </>
  );
};

export default NotificationsPage;
