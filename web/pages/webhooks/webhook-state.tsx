import { CircleCheck, CircleMinus, CirclePause } from 'lucide-react';
import type { Webhook } from '#generated/app-client';
import { Chip } from '#web/parts/state-chip.tsx';

/** An active webhook with a reason exceeds the plan and gets no deliveries. */
export const isBeyondPlan = ({ state, reason }: Webhook) => state === 'active' && reason !== undefined;

export const WebhookState = ({ webhook }: { webhook: Webhook }) => {
  if (webhook.state === 'paused') {
    return (
      <Chip tone="orange" icon={CirclePause}>
        Paused
      </Chip>
    );
  }
  if (isBeyondPlan(webhook)) {
    return (
      <Chip tone="orange" icon={CircleMinus}>
        Beyond the plan
      </Chip>
    );
  }
  return (
    <Chip tone="green" icon={CircleCheck}>
      Active
    </Chip>
  );
};
