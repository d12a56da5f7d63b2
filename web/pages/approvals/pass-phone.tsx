import { Check, Pencil, X } from 'lucide-react';
import { useRef } from 'react';
import { usePermissions } from '#web/base/session.ts';
import { EditForm } from '#web/requests/edit-form.tsx';
import { ReasonForm } from '#web/requests/reason-form.tsx';
import { RequestCard } from '#web/requests/request-card.tsx';
import { useDecisions } from '#web/requests/use-decisions.ts';
import styles from './pass.module.css';
import { PassWarnings } from './pass-warnings.tsx';
import type { Pass } from './use-pass.ts';
import { useSwipe } from './use-swipe.ts';

/** One request at a time, with buttons for one thumb. */
export const PassPhone = ({ pass, foot }: { pass: Pass; foot: React.ReactNode }) => {
  const { canWrite } = usePermissions();
  const { reject, running } = useDecisions();
  const { cards, form } = pass;
  const latest = useRef<{ left: () => void; right: () => void }>(undefined);
  const swipe = useSwipe(latest);
  const index = Math.max(
    0,
    cards.findIndex(({ id }) => id === (form?.id ?? pass.current)),
  );
  const card = cards[index];
  if (card === undefined) return null;
  const { id } = card;
  const edit = pass.edits.get(id);
  const goOn = () => {
    const next = cards[index + 1];
    if (next) pass.look(next.id);
  };
  const markAndGoOn = () => {
    if (!pass.canMark(card)) return;
    pass.mark(id, !pass.marked.has(id));
    if (!pass.marked.has(id)) goOn();
  };
  latest.current = {
    left: () => canWrite && form === undefined && pass.open({ id, kind: 'reject' }),
    right: () => canWrite && form === undefined && !pass.marked.has(id) && markAndGoOn(),
  };
  const failure = pass.failureOf(id);
  const failureLine = failure && (
    <p className={styles.failure} role="alert">
      {failure}
    </p>
  );
  return (
    <div className={styles.phone}>
      <div className={styles.where}>
        <nav className={styles.steps} aria-label="Requests">
          {cards.map((one, at) => (
            <button
              key={one.id}
              type="button"
              aria-label={`Request ${at + 1} of ${cards.length}`}
              aria-current={one.id === id ? 'true' : undefined}
              data-marked={pass.marked.has(one.id) || undefined}
              disabled={form !== undefined}
              onClick={() => pass.look(one.id)}
            />
          ))}
        </nav>
        <p className="small text-2 number" aria-live="polite">
          <span className="hidden">Request </span>
          {index + 1} of {cards.length}
        </p>
      </div>
      {form?.kind !== 'reject' && failureLine}
      <div className={styles.warnings}>
        <PassWarnings card={card} pass={pass} />
      </div>
      <div className={styles.swipe} {...swipe}>
        <RequestCard key={id} card={card} decision="" wasDecided={false} edit={edit} actions={null} />
      </div>
      <div className={styles.bar}>
        {form?.kind === 'reject' && (
          <div className={styles.sheet}>
            {failureLine}
            <ReasonForm
              card={card}
              isRunning={running[id] !== undefined}
              onReject={(reason) => {
                void reject(card, reason).then(goOn);
              }}
              onCancel={() => pass.open(undefined)}
            />
          </div>
        )}
        {form?.kind === 'edit' && (
          <div className={styles.sheet}>
            <EditForm
              card={card}
              edit={edit}
              onDone={(next) => pass.setEdit(id, next)}
              onCancel={() => pass.open(undefined)}
            />
          </div>
        )}
        {canWrite && form === undefined && (
          <div className={styles.thumbs} data-thumbs>
            <button type="button" data-tone="red" onClick={() => pass.open({ id, kind: 'reject' })}>
              <X size={22} aria-hidden="true" />
              <span>Reject</span>
            </button>
            <button type="button" onClick={() => pass.open({ id, kind: 'edit' })}>
              <Pencil size={20} aria-hidden="true" />
              <span>Edit</span>
            </button>
            <button
              type="button"
              data-tone="brass"
              aria-pressed={pass.marked.has(id)}
              aria-disabled={!pass.canMark(card) || undefined}
              onClick={markAndGoOn}
            >
              <Check size={22} aria-hidden="true" />
              <span>Approve</span>
            </button>
          </div>
        )}
        {canWrite && form === undefined && <p className={styles.hint}>Or swipe: right to approve, left to reject.</p>}
        {form === undefined && foot}
      </div>
    </div>
  );
};
