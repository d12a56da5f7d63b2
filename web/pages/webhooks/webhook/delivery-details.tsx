import { ActionIcon, Tabs } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { RotateCw, X } from 'lucide-react';
import type { DeliveryDetails as Details, Webhook } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { SignatureSample } from '#web/pages/webhooks/signature-sample.tsx';
import { CopyField } from '#web/parts/copy.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { Loaded } from '#web/parts/loaded.tsx';
import { MainButton } from '#web/parts/main-button.tsx';
import { useIsPhone } from '#web/parts/use-is-phone.ts';
import { When } from '#web/parts/when.tsx';
import { answerOf, formatAnswer, isTrouble } from './format-answer.ts';
import { RetrySchedule } from './retry-schedule.tsx';
import styles from './webhook.module.css';

export const DeliveryDetails = ({
  webhook,
  deliveryId,
  onClose,
}: {
  webhook: Webhook;
  deliveryId: string;
  onClose: () => void;
}) => {
  const query = useQuery({
    queryKey: keys.delivery(webhook.id, deliveryId),
    queryFn: ({ signal }) => app.getDelivery({ id: webhook.id, deliveryId }, { signal }),
  });
  return (
    <Loaded query={query} title="The delivery could not be loaded" rows={5}>
      {(delivery) => <Delivery webhook={webhook} delivery={delivery} onClose={onClose} />}
    </Loaded>
  );
};

const Delivery = ({ webhook, delivery, onClose }: { webhook: Webhook; delivery: Details; onClose: () => void }) => {
  const isPhone = useIsPhone();
  return (
    <div className={styles.details}>
      <header className={styles.head}>
        <h2 className="one-line">{delivery.type}</h2>
        <SendAgain webhook={webhook} delivery={delivery} />
        {/* On a phone the drawer has its own close button. */}
        {!isPhone && (
          <ActionIcon aria-label="Close the delivery" onClick={onClose}>
            <X size={17} aria-hidden="true" />
          </ActionIcon>
        )}
      </header>
      <dl className={styles.facts}>
        <dt>Delivery</dt>
        <dd>
          <code>{delivery.id}</code>
        </dd>
        <dt>Event</dt>
        <dd>
          <code>{delivery.eventId}</code>
        </dd>
        <dt>Last answer</dt>
        <dd className={isTrouble(delivery) ? styles.trouble : undefined}>{answerOf(delivery)}</dd>
        {webhook.testReceiver && delivery.state === 'delivered' && (
          <>
            <dt>Signature</dt>
            <dd>Checked by the test receiver, and right</dd>
          </>
        )}
        {delivery.nextTryAt && (
          <>
            <dt>Next try</dt>
            <dd>
              <When at={delivery.nextTryAt} />, <When at={delivery.nextTryAt} form="relative" />
            </dd>
          </>
        )}
      </dl>
      <RetrySchedule delivery={delivery} />
      {delivery.tries.length > 0 && <Tries delivery={delivery} />}
      <Sent delivery={delivery} />
    </div>
  );
};

const SendAgain = ({ webhook, delivery }: { webhook: Webhook; delivery: Details }) => {
  const client = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => app.resendDelivery({ id: webhook.id, deliveryId: delivery.id }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.webhook(webhook.id) }),
  });
  const reason =
    webhook.state === 'paused'
      ? 'The webhook is paused. Resume it first.'
      : delivery.state === 'sending'
        ? 'It is being sent at this moment.'
        : undefined;
  return (
    <>
      <MainButton
        variant="default"
        size="xs"
        leftSection={<RotateCw size={13} aria-hidden="true" />}
        reason={reason}
        reasonHidden
        loading={isPending}
        onClick={() => mutate()}
      >
        Send again
      </MainButton>
      {(error || reason) && (
        <div className={styles.why}>
          {error ? <FaultBanner fault={error} title="It was not queued" /> : <p className="small text-3">{reason}</p>}
        </div>
      )}
    </>
  );
};

const Tries = ({ delivery: { tries } }: { delivery: Details }) => (
  <ol className={styles.tries} aria-label="Tries">
    {tries.map(({ at, answer, tookMs }) => (
      <li key={at}>
        <When at={at} />
        <span>{formatAnswer(answer, tookMs)}</span>
      </li>
    ))}
  </ol>
);

const Sent = ({ delivery: { body, headers } }: { delivery: Details }) => (
  <Tabs defaultValue="body" classNames={{ tab: styles.tab ?? '' }}>
    <Tabs.List>
      <Tabs.Tab value="body">Body</Tabs.Tab>
      <Tabs.Tab value="headers">Headers</Tabs.Tab>
      <Tabs.Tab value="check">Check the signature</Tabs.Tab>
    </Tabs.List>
    <Tabs.Panel value="body" pt={12}>
      <CopyField block label="body" value={indent(body)} />
      <p className={`caption text-3 ${styles.hint}`}>
        Indented for reading. What is signed and sent has no extra spaces.
      </p>
    </Tabs.Panel>
    <Tabs.Panel value="headers" pt={12}>
      {headers ? (
        <CopyField
          block
          label="headers"
          value={Object.entries(headers)
            .map(([name, value]) => `${name}: ${value}`)
            .join('\n')}
        />
      ) : (
        <p className="small text-3">Known after the first try.</p>
      )}
    </Tabs.Panel>
    <Tabs.Panel value="check" pt={12}>
      <SignatureSample />
    </Tabs.Panel>
  </Tabs>
);

const indent = (body: string) => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
};
