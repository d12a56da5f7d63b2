import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import type { NewWebhook, Webhook } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { isBeyondPlan } from '#web/pages/webhooks/webhook-state.tsx';
import { Banner } from '#web/parts/banner.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { OneTimeSecret } from '#web/parts/one-time-secret.tsx';
import { When } from '#web/parts/when.tsx';
import styles from './webhook.module.css';

export const WebhookNotices = ({
  webhook,
  fresh,
  onStored,
}: {
  webhook: Webhook;
  fresh: NewWebhook | undefined;
  onStored: () => void;
}) => {
  const client = useQueryClient();
  const resume = useMutation({
    mutationFn: () => app.resumeWebhook({ id: webhook.id }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.webhooks }),
  });
  return (
    <div className={styles.notices}>
      {resume.error && <FaultBanner fault={resume.error} title="The webhook is still paused" />}
      {webhook.testReceiver && (
        <Banner tone="plum" icon={FlaskConical} title="This receiver is part of the sandbox">
          It checks the signature as your program should. It answers 204 when the signature is right, else 400. The log
          below shows what arrived.
        </Banner>
      )}
      {webhook.state === 'paused' && (
        <Banner
          tone="orange"
          title="Paused after 10 failed deliveries."
          action={
            <Button size="xs" loading={resume.isPending} onClick={() => resume.mutate()}>
              Resume
            </Button>
          }
        >
          Events since then are not kept.
        </Banner>
      )}
      {isBeyondPlan(webhook) && (
        <Banner tone="orange" title="Nothing is sent to this webhook">
          {webhook.reason}
        </Banner>
      )}
      {fresh && (
        <OneTimeSecret title="New signing secret" label="signing secret" value={fresh.secret} onStored={onStored}>
          The previous secret also signs for 24 hours.
        </OneTimeSecret>
      )}
      {webhook.oldSecretUntil && !fresh && (
        <Banner tone="blue" title="Two secrets sign">
          The previous one also signs until <When at={webhook.oldSecretUntil} form="said" />.
        </Banner>
      )}
    </div>
  );
};
