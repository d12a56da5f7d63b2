import type { Webhook } from '#generated/app-client';
import { ListRow } from '#web/parts/list.tsx';
import { When } from '#web/parts/when.tsx';
import { WebhookState } from './webhook-state.tsx';
import styles from './webhooks.module.css';

const words = { pending: 'Pending', sending: 'Sending', delivered: 'Delivered', failed: 'Failed' };

export const WebhookRow = ({ webhook }: { webhook: Webhook }) => {
  const { id, url, testReceiver, events, reason, lastDelivery } = webhook;
  const last = lastDelivery ? (
    <>
      {words[lastDelivery.state]} <When at={lastDelivery.at} form="said" />
    </>
  ) : (
    'Nothing sent yet'
  );
  return (
    <ListRow
      id={id}
      link={{ to: '/settings/webhooks/$id', params: { id } }}
      title={testReceiver ? 'Test receiver' : url.replace(/^https:\/\//, '')}
      tail={<WebhookState webhook={webhook} />}
      note={
        <span className={styles.note}>
          <code>{events.join(', ')}</code>
          {reason && <span className={styles.reason}>{reason}</span>}
          <span className="phone-only">{last}</span>
        </span>
      }
      side={<span className="desk-only">{last}</span>}
    />
  );
};
