import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Pencil } from 'lucide-react';
import { useEffect } from 'react';
import type { ApprovalCard, ApprovalEdit } from '#generated/app-client';
import { usePermissions, useSession, useZone } from '#web/base/session.ts';
import { formatDateTime, now } from '#web/base/time.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { MainButton } from '#web/parts/main-button.tsx';
import { count } from '#web/parts/number.ts';
import { Chip } from '#web/parts/state-chip.tsx';
import styles from './card.module.css';
import { isDestructive, needsDecision } from './card-state.ts';
import { EditForm } from './edit-form.tsx';
import { canEdit } from './edit-of-request.ts';
import { EditedTexts, OtherEdits } from './edited-texts.tsx';
import { PasskeyYes } from './passkey-yes.tsx';
import { ReasonForm } from './reason-form.tsx';
import { type RequestForm, useDecisions } from './use-decisions.ts';

export const CardActions = ({ card }: { card: ApprovalCard }) => {
  const { canWrite, canPublish } = usePermissions();
  const { user } = useSession();
  const decisions = useDecisions();
  const { approve, reject, confirm, running, faults, keepAlone } = decisions;
  const form = decisions.forms[card.id];
  const edit = decisions.edits[card.id];
  const setForm = (next: RequestForm | undefined) => decisions.setForm(card.id, next);
  const setEdit = (next: ApprovalEdit | undefined) => decisions.setEdit(card.id, next);
  const isWriting = form !== undefined || edit !== undefined;
  useEffect(() => (isWriting ? keepAlone(card.id) : undefined), [isWriting, keepAlone, card.id]);
  if (!needsDecision(card)) return null;
  if (!canWrite) {
    return (
      <footer className={styles.foot}>
        <p className="small text-2">Owners, admins and editors decide. You are a viewer here.</p>
      </footer>
    );
  }
  const isMine = card.isOwn === true && card.requestedBy === user.id;
  const { allowed = canPublish, note } = card.decision ?? {};
  if (!allowed) {
    return (
      <footer className={styles.foot}>
        <Fault fault={faults[card.id]} />
        <p className="small text-2">{note ?? 'Owners, admins and named approvers decide here.'}</p>
        {isMine && (
          <Button variant="quiet" loading={running[card.id] !== undefined} onClick={() => reject(card)}>
            Take back
          </Button>
        )}
      </footer>
    );
  }
  const act = actOf(card, edit);
  if (form === 'reject') {
    return (
      <footer className={styles.foot}>
        <Fault fault={faults[card.id]} />
        <ReasonForm
          card={card}
          isRunning={running[card.id] !== undefined}
          onReject={(reason) => reject(card, reason)}
          onCancel={() => setForm(undefined)}
        />
      </footer>
    );
  }
  if (form === 'edit' && canEdit(card)) {
    return (
      <footer className={styles.foot}>
        <EditForm
          card={card}
          edit={edit}
          onDone={(next) => {
            setEdit(next);
            setForm(undefined);
          }}
          onCancel={() => setForm(undefined)}
        />
      </footer>
    );
  }
  return (
    <footer className={styles.foot}>
      <Fault fault={faults[card.id]} />
      {edit && <YourEdit card={card} edit={edit} onReset={() => setEdit(undefined)} />}
      <MainButton
        variant={isDestructive(card) ? 'danger' : 'send'}
        reason={act.reason}
        loading={running[card.id] === 'approve'}
        onClick={() => (isDestructive(card) ? confirm(card) : approve(card, edit))}
      >
        {act.label}
      </MainButton>
      {canEdit(card) && <Button onClick={() => setForm('edit')}>Edit</Button>}
      {card.post && !canEdit(card) && (
        <Button component={Link} to="/posts/$id" params={{ id: card.post.id } as never}>
          Open post
        </Button>
      )}
      <Button variant="quiet" onClick={() => setForm('reject')}>
        Reject
      </Button>
      {act.reason === undefined && <p className={styles.note}>{note ?? act.note}</p>}
      {card.status === 'Open' && !isDestructive(card) && (
        <div className={styles.passkey}>
          <PasskeyYes />
        </div>
      )}
    </footer>
  );
};

const Fault = ({ fault }: { fault: unknown }) =>
  fault !== undefined && (
    <div className={styles.fault}>
      <FaultBanner fault={fault} title="Not done" />
    </div>
  );

const YourEdit = ({ card, edit, onReset }: { card: ApprovalCard; edit: ApprovalEdit; onReset: () => void }) => {
  const zone = useZone();
  return (
    <section className={styles.edit} aria-label="Your edit">
      <p className="row wrap">
        <Chip tone="blue" icon={Pencil}>
          Your edit
        </Chip>
        {edit.scheduledAt && <span className="small">Goes out {formatDateTime(edit.scheduledAt, zone)}</span>}
        <Button size="xs" variant="quiet" onClick={onReset}>
          Back to its text
        </Button>
      </p>
      {edit.versions && <EditedTexts card={card} edit={edit} />}
      <OtherEdits card={card} edit={edit} />
    </section>
  );
};

/** Label of the main button, and why it is disabled. */
export const actOf = (
  card: ApprovalCard,
  edit?: ApprovalEdit,
): { label: string; note: string; reason: string | undefined } => {
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
      ? { label: 'Schedule it as it is now', note: `Runs as you: goes to ${places} at that time.`, reason }
      : { label: 'Publish it as it is now', note: `Runs as you: goes to ${places} at once.`, reason };
  }
  const notes: Record<string, string> = {
    'posts.schedule': card.becomes
      ? 'Runs as you. You can still move it until it goes out.'
      : 'Runs as you. You can still unschedule until it goes out.',
    'posts.publishNow': `Runs as you: goes to ${count(accounts.length, 'account')} at once.`,
  };
  const note = notes[action] ?? 'Runs as you.';
  // An edit may fix what is broken: the server decides.
  return edit ? { label: `${verb} with your edit`, note, reason: undefined } : { label: verb, note, reason };
};
