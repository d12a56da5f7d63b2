import { useQuery } from '@tanstack/react-query';
import { Plus, Webhook as WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import type { NewWebhook } from '#generated/app-client';
import { useNetworks } from '#web/base/networks.ts';
import { queries } from '#web/base/queries.ts';
import { usePermissions } from '#web/base/session.ts';
import { Banner } from '#web/parts/banner.tsx';
import { EmptyState } from '#web/parts/empty-state.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { List } from '#web/parts/list.tsx';
import { MainButton } from '#web/parts/main-button.tsx';
import { count } from '#web/parts/number.ts';
import { OneTimeSecret } from '#web/parts/one-time-secret.tsx';
import { PageHeader } from '#web/parts/page-header.tsx';
import { Column, Section } from '#web/parts/section.tsx';
import { SkeletonRows } from '#web/parts/skeleton-rows.tsx';
import { useFormDraft } from '#web/parts/use-form-draft.ts';
import { NotYours } from './not-yours.tsx';
import { SignatureSample } from './signature-sample.tsx';
import { TryTestReceiver } from './try-test-receiver.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookRow } from './webhook-row.tsx';
import styles from './webhooks.module.css';

const Webhooks = () => {
  const { canManage } = usePermissions();
  return canManage ? <Managed /> : <NotYours />;
};

const Managed = () => {
  const { data, error, refetch } = useQuery(queries.webhooks);
  const limit = useQuery(queries.plan).data?.webhooks;
  const [isAdding, setIsAdding] = useFormDraft('new webhook', false);
  const [fresh, setFresh] = useState<NewWebhook>();
  const webhooks = data?.webhooks;
  const hasSandbox = useNetworks().list.some(({ sandbox }) => sandbox);
  const canTry = hasSandbox && webhooks !== undefined && !webhooks.some(({ testReceiver }) => testReceiver);
  const isFull = webhooks !== undefined && limit !== undefined && webhooks.length >= limit;
  const full = isFull
    ? `Your plan covers ${count(limit, 'webhook')}. Delete one, or ask whoever runs this server for another plan.`
    : undefined;
  const button = (
    <MainButton
      leftSection={<Plus size={15} aria-hidden="true" />}
      reason={full}
      reasonHidden
      onClick={() => setIsAdding(true)}
    >
      Add<span className="desk-only">&nbsp;webhook</span>
    </MainButton>
  );
  return (
    <>
      <PageHeader
        title="Webhooks"
        meta={
          webhooks && limit !== undefined ? (
            <span className="number">
              {webhooks.length} of {limit}
            </span>
          ) : null
        }
        actions={button}
      />
      {(error || full || fresh) && (
        <Column width="full">
          <div style={{ display: 'grid', gap: 12, marginBottom: -24 }}>
            {error && <FaultBanner fault={error} title="The webhooks could not be loaded" onRetry={refetch} />}
            {fresh && (
              <OneTimeSecret
                title={`Signing secret of ${new URL(fresh.url).host}`}
                label="signing secret"
                value={fresh.secret}
                onStored={() => setFresh(undefined)}
              >
                Your receiver checks with it that a delivery comes from here.
              </OneTimeSecret>
            )}
            {full && (
              <Banner tone="blue" title="No more webhooks">
                {full}
              </Banner>
            )}
          </div>
        </Column>
      )}
      {!webhooks && !error && <SkeletonRows rows={3} height={60} />}
      {webhooks?.length === 0 && (
        <EmptyState
          icon={WebhookIcon}
          title="No webhook yet"
          action={
            <div className={styles.choices}>
              {button}
              {canTry && <TryTestReceiver />}
            </div>
          }
        >
          Posthorn tells an address of yours when a post is out, when one failed, and when an account needs
          reconnecting.
        </EmptyState>
      )}
      {webhooks && webhooks.length > 0 && (
        <div className={styles.rows}>
          <List label="Webhooks">
            {webhooks.map((webhook) => (
              <WebhookRow key={webhook.id} webhook={webhook} />
            ))}
          </List>
        </div>
      )}
      {webhooks && (
        <Column width="full">
          <div className={styles.sample}>
            {canTry && webhooks.length > 0 && (
              <Section title="Test receiver" note="part of the sandbox">
                <p className={`small ${styles.about}`}>It gets every event, and checks the signature for you to see.</p>
                <TryTestReceiver />
              </Section>
            )}
            <Section title="Check the signature" note="in your receiver">
              <SignatureSample />
            </Section>
          </div>
        </Column>
      )}
      <WebhookForm opened={isAdding} onClose={() => setIsAdding(false)} onAdded={setFresh} />
    </>
  );
};

export default Webhooks;
