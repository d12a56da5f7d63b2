import { Link } from '@tanstack/react-router';
import { SquareTerminal } from 'lucide-react';
import { useZone } from '#web/base/session.ts';
import { lineOf, shortTime } from '#web/requests/format-request.ts';
import styles from './conversation-list.module.css';
import { ReceiptLog } from './receipt-log.tsx';
import type { Conversation } from './use-approvals.ts';

/** One row per client, with the number of open requests. */
export const ConversationList = ({
  conversations,
  open,
  show,
}: {
  conversations: readonly Conversation[];
  open: string | undefined;
  show: 'decided' | undefined;
}) => (
  <nav className={styles.list} aria-label="Conversations">
    <Tabs waiting={conversations.reduce((sum, { waiting }) => sum + waiting.length, 0)} show={show} />
    <ul>
      {conversations
        .filter(({ decided }) => show === undefined || decided.length > 0)
        .map((one) => (
          <Row key={one.id} conversation={one} isOpen={one.id === open} show={show} />
        ))}
    </ul>
    {show === 'decided' && <ReceiptLog />}
  </nav>
);

const exact = { exact: true, includeSearch: true };

const Tabs = ({ waiting, show }: { waiting: number; show: 'decided' | undefined }) => (
  <div className={styles.tabs}>
    {/* Both lead to this page, and the router would mark both as current. */}
    <Link to="/approvals" activeOptions={exact} aria-current={show === undefined ? 'true' : undefined}>
      Waiting <span className="number">{waiting > 0 && waiting}</span>
    </Link>
    <Link to="/approvals" search={{ show: 'decided' }} activeOptions={exact} aria-current={show ? 'true' : undefined}>
      Decided
    </Link>
  </div>
);

const Row = ({
  conversation: { id, client, waiting, decided, lastAt },
  isOpen,
  show,
}: {
  conversation: Conversation;
  isOpen: boolean;
  show: 'decided' | undefined;
}) => {
  const zone = useZone();
  const first = show ? decided[0] : waiting[0];
  return (
    <li>
      <Link
        to="/approvals"
        search={{ conversation: id, ...(show && { show }) }}
        className={styles.row}
        aria-current={isOpen ? 'true' : undefined}
      >
        <span className={styles.tile}>
          <SquareTerminal size={16} strokeWidth={1.75} aria-hidden="true" />
        </span>
        <span className="lines">
          <span className={styles.line}>
            <span className={`one-line ${styles.name}`} dir="auto">
              {client}
            </span>
            <time className="caption text-3" dateTime={lastAt}>
              {shortTime(lastAt, zone)}
            </time>
          </span>
          <span className={styles.line}>
            <span className="one-line small text-2" dir="auto">
              {first ? lineOf(first, zone) : 'Nothing waiting'}
            </span>
            {waiting.length > 0 && show === undefined && (
              <span className={styles.count}>
                {waiting.length}
                <span className="hidden"> waiting</span>
              </span>
            )}
          </span>
        </span>
      </Link>
    </li>
  );
};
