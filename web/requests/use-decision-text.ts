import { useQuery } from '@tanstack/react-query';
import type { ApprovalCard } from '#generated/app-client';
import { queries } from '#web/base/queries.ts';
import { nameOf, useSession, useZone } from '#web/base/session.ts';
import { shortMoment } from './format-request.ts';

/** `approved by Jonas, Mon 16:20` */
export const useDecisionText = () => {
  const zone = useZone();
  const { user } = useSession();
  const members = useQuery(queries.members).data?.members ?? [];
  const who = ({ decidedBy, decidedByName = '' }: ApprovalCard) => {
    if (decidedBy === user.id) return ' by you';
    const member = members.find(({ userId }) => userId === decidedBy);
    const name = member ? nameOf(member) : decidedByName && nameOf({ email: decidedByName });
    return name ? ` by ${name}` : '';
  };
  return (card: ApprovalCard, before: ', ' | ' at ' = ', ') => {
    const when = card.decidedAt ? `${before}${shortMoment(card.decidedAt, zone)}` : '';
    if (card.status === 'Outdated') return `${card.account ? 'the account' : 'the post'} changed${when}`;
    return `${card.status.toLowerCase()}${who(card)}${when}`;
  };
};
