import { Link } from '@tanstack/react-router';
import { Check, CircleHelp, Clock, X } from 'lucide-react';
import type { ApprovalCard } from '#generated/app-client';
import { useZone } from '#web/base/session.ts';
import { capitalize } from '#web/parts/capitalize.ts';
import styles from '#web/requests/card.module.css';
import { lineOf } from '#web/requests/format-request.ts';

const looks = {
  Approved: { icon: Check, tone: 'green' },
  Rejected: { icon: X, tone: 'grey' },
  Outdated: { icon: CircleHelp, tone: 'plum' },
  Expired: { icon: Clock, tone: 'grey' },
  Open: { icon: Clock, tone: 'grey' },
} as const;

export const DecidedLine = ({ card, decision }: { card: ApprovalCard; decision: string }) => {
  const zone = useZone();
  const { icon: Icon, tone } = looks[card.status];
  return (
    <div className={styles.decided} data-row={card.id}>
      <Icon className={styles.mark} data-tone={tone} size={16} aria-hidden="true" />
      <Link to="/approvals/$id" params={{ id: card.id }} data-row-link="" className={styles.link} dir="auto">
        {lineOf(card, zone)}
      </Link>
      <span className={styles.by}>
        {capitalize(decision)}
        {card.edited && ', with an edit'}
        {card.reason && `: “${card.reason}”`}
      </span>
    </div>
  );
};
