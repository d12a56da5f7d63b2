import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ApprovalCard } from '#generated/app-client';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { MainButton } from '#web/parts/main-button.tsx';
import { count } from '#web/parts/number.ts';
import { now } from '#web/parts/time.ts';
import { usePermissions } from '#web/session.ts';
import styles from './card.module.css';
import { isDestructive, needsDecision } from './card-state.ts';
import { useDecisions } from './use-decisions.ts';

export const CardActions = ({ card }: { card: ApprovalCard }) => {
  const { canWrite } = usePermissions();
  const { approve, reject, confirm, running, fault } = useDecisions();
  if (!needsDecision(card)) return null;
  if (!canWrite) {
    return (
      <footer className={styles.foot}>
        <p className="small text-2">Owners, admins and editors decide. You are a viewer here.</p>
      </footer>
    );
  }
  const act = actOf(card);
  const isRunning = running?.id === card.id;
  return (
    <footer className={styles.foot}>
      {fault?.id === card.id && (
        <div className={styles.fault}>
          <FaultBanner fault={fault.error} title="Not done" />
        </div>
      )}
      <MainButton
        variant={isDestructive(card) ? 'danger' : 'send'}
        reason={act.reason}
        loading={isRunning && running?.what === 'approve'}
        onClick={() => (isDestructive(card) ? confirm(card) : approve(card))}
      >
        {act.label}
      </MainButton>
      {card.post && (
        <Button component={Link} to="/posts/$id" params={{ id: card.post.id } as never}>
          {card.status === 'Open' && !isDestructive(card) ? 'Edit first' : 'Open post'}
        </Button>
      )}
      <Button variant="quiet" loading={isRunning && running?.what === 'reject'} onClick={() => reject(card)}>
        Reject
      </Button>
      {act.reason === undefined && <p className={styles.note}>{act.note}</p>}
    </footer>
  );
};

/** Label of the main button, and why it is disabled. */
export const actOf = (card: ApprovalCard): { label: string; note: string; reason: string | undefined } => {
  const { status, action, verb, validation, accounts, input, preparing } = card;
  const isPast = typeof input.at === 'string' && Date.parse(input.at) < now().getTime();
  const isSchedule = action === 'posts.schedule';
  const issues = isDestructive(card) ? [] : (validation?.issues ?? []);
  const reason =
    isSchedule && isPast
      ? 'That time has passed. Choose a later one.'
      : preparing
        ? 'Its files are still being prepared.'
        : issues.length > 0
          ? `Fix ${issues.length === 1 ? 'this' : 'these'} first.`
          : undefined;
  if (status !== 'Open') {
    const places = count(card.changedPost?.accountIds.length ?? 0, 'account');
    return isSchedule
      ? { label: 'Schedule the new text', note: `Your click, your post: goes to ${places} at that time.`, reason }
      : { label: 'Publish the new text', note: `Your click, your post: goes to ${places} at once.`, reason };
  }
  const notes: Record<string, string> = {
    'posts.schedule': 'Runs as you. You can still unschedule until it goes out.',
    'posts.publishNow': `Runs as you: goes to ${count(accounts.length, 'account')} at once.`,
  };
  return { label: verb, note: notes[action] ?? 'Runs as you.', reason };
};
