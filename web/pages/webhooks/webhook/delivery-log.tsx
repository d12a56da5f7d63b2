import { useQuery } from '@tanstack/react-query';
import { Webhook as WebhookIcon } from 'lucide-react';
import { useRef } from 'react';
import type { Delivery, Webhook } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { EmptyState } from '#web/parts/empty-state.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { List, ListRow, useListKeys } from '#web/parts/list.tsx';
import { SkeletonRows } from '#web/parts/skeleton-rows.tsx';
import { useIsPhone } from '#web/parts/use-is-phone.ts';
import { When } from '#web/parts/when.tsx';
import { DeliveryState } from './delivery-state.tsx';
import { answerOf, isTrouble } from './format-answer.ts';
import styles from './webhook.module.css';

interface LogProps {
  webhook: Webhook;
  openId: string | undefined;
  onOpen: (id: string) => void;
}

export const DeliveryLog = ({ webhook, ...rows }: LogProps) => {
  const isPhone = useIsPhone();
  const { data, error, refetch } = useQuery({
    queryKey: keys.deliveries(webhook.id),
    queryFn: ({ signal }) => app.listDeliveries({ id: webhook.id }, { signal }),
  });
  return (
    <>
      <p className={`small ${styles.gets}`}>
        <span>
          Gets <code>{webhook.events.join(', ')}</code>
        </span>
        <span className="text-3 desk-only">Last 50, kept 30 days</span>
      </p>
      {error && (
        <div className={styles.notices}>
          <FaultBanner fault={error} title="The delivery log could not be loaded" onRetry={refetch} />
        </div>
      )}
      {!data && !error && <SkeletonRows rows={8} height={44} />}
      {data?.deliveries.length === 0 && (
        <EmptyState icon={WebhookIcon} title="Nothing sent yet">
          Send a test to see the first delivery.
        </EmptyState>
      )}
      {data &&
        data.deliveries.length > 0 &&
        (isPhone ? <Rows list={data.deliveries} {...rows} /> : <Table list={data.deliveries} {...rows} />)}
    </>
  );
};

interface ListProps extends Pick<LogProps, 'openId' | 'onOpen'> {
  list: readonly Delivery[];
}

const Rows = ({ list, openId, onOpen }: ListProps) => (
  <List label="Deliveries">
    {list.map((delivery) => (
      <ListRow
        key={delivery.id}
        id={delivery.id}
        onOpen={() => onOpen(delivery.id)}
        selected={delivery.id === openId}
        title={<code>{delivery.type}</code>}
        note={
          <span className={isTrouble(delivery) ? styles.trouble : undefined}>
            {answerOf(delivery).replace(/\.$/, delivery.nextTryAt ? '' : '.')}
            {delivery.nextTryAt && delivery.attempts > 0 && (
              <>
                , again <When at={delivery.nextTryAt} form="relative" />
              </>
            )}
          </span>
        }
        side={
          <span className={styles.side}>
            <DeliveryState state={delivery.state} />
            <When at={delivery.createdAt} />
          </span>
        }
      />
    ))}
  </List>
);

const Table = ({ list, openId, onOpen }: ListProps) => {
  const body = useRef<HTMLTableSectionElement>(null);
  useListKeys(body);
  return (
    <table className={styles.log} aria-label="Deliveries">
      <thead>
        <tr>
          <th scope="col">Event</th>
          <th scope="col">State</th>
          <th scope="col" className={styles.right}>
            Attempts
          </th>
          <th scope="col">Last answer</th>
          <th scope="col">Next try</th>
          <th scope="col" className={styles.right}>
            Created
          </th>
        </tr>
      </thead>
      <tbody ref={body}>
        {list.map((delivery) => (
          <tr key={delivery.id} data-row={delivery.id} data-selected={delivery.id === openId || undefined}>
            <td>
              <button
                type="button"
                className="row-link bare"
                data-row-link=""
                aria-expanded={delivery.id === openId}
                onClick={() => onOpen(delivery.id)}
              >
                <code>{delivery.type}</code>
              </button>
            </td>
            <td>
              <DeliveryState state={delivery.state} />
            </td>
            <td className={styles.right}>{delivery.attempts}</td>
            <td className={isTrouble(delivery) ? styles.trouble : undefined}>{answerOf(delivery)}</td>
            <td>{delivery.nextTryAt && <When at={delivery.nextTryAt} form="relative" />}</td>
            <td className={`text-2 ${styles.right}`}>
              <When at={delivery.createdAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};
