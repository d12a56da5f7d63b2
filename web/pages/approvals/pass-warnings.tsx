import { TriangleAlert } from 'lucide-react';
import type { ApprovalCard } from '#generated/app-client';
import { Chip } from '#web/parts/state-chip.tsx';
import type { Pass } from './use-pass.ts';

/** What a person should know about a request before approving it. */
export const PassWarnings = ({ card, pass }: { card: ApprovalCard; pass: Pass }) => {
  const result = pass.checks.get(card.id);
  const [other, ...more] = result?.sameMinute ?? [];
  const words = [
    ...(card.preparing ? ['Its files are still being prepared'] : []),
    ...(result?.error ? [result.error.issues[0]?.message ?? result.error.message] : []),
    ...(other ? [`Same minute as “${shorten(other.text)}”${more.length > 0 ? ` and ${more.length} more` : ''}`] : []),
  ];
  return words.map((one) => (
    <Chip key={one} tone="orange" icon={TriangleAlert}>
      {one}
    </Chip>
  ));
};

const shorten = (text: string) => {
  const [line = ''] = text.split('\n');
  return line.length <= 40 ? line : `${line.slice(0, 39)}…`;
};
