import { CircleCheck, CircleX, Clock, LoaderCircle } from 'lucide-react';
import type { Delivery } from '#generated/app-client';
import { Chip } from '#web/parts/state-chip.tsx';

const states = {
  pending: { tone: 'blue', icon: Clock, word: 'Pending' },
  sending: { tone: 'brass', icon: LoaderCircle, word: 'Sending' },
  delivered: { tone: 'green', icon: CircleCheck, word: 'Delivered' },
  failed: { tone: 'red', icon: CircleX, word: 'Failed' },
} as const;

export const DeliveryState = ({ state }: { state: Delivery['state'] }) => {
  const { tone, icon, word } = states[state];
  return (
    <Chip tone={tone} icon={icon}>
      {word}
    </Chip>
  );
};
