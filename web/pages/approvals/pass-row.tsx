import { Button } from '@mantine/core';
import { Check, Pencil, X } from 'lucide-react';
import { useEffect } from 'react';
import type { ApprovalCard } from '#generated/app-client';
import { usePermissions, useZone } from '#web/base/session.ts';
import { formatDateTime } from '#web/base/time.ts';
import { DiffText } from '#web/parts/diff-text.tsx';
import { thumbnailOf } from '#web/parts/media-file.ts';
import { NetworkBadge } from '#web/parts/network-badge.tsx';
import { Chip } from '#web/parts/state-chip.tsx';
import { Thumbnail } from '#web/parts/thumbnail.tsx';
import { closeToast, toastIdOf } from '#web/parts/toasts.tsx';
import { EditForm } from '#web/requests/edit-form.tsx';
import { targetOf, timeOf, withEdit } from '#web/requests/edit-of-request.ts';
import { OtherEdits } from '#web/requests/edited-texts.tsx';
import { lineOf, titleOf } from '#web/requests/format-request.ts';
import { ReasonForm } from '#web/requests/reason-form.tsx';
import { textGroups, textOf } from '#web/requests/text-groups.ts';
import { useDecisions } from '#web/requests/use-decisions.ts';
import styles from './pass.module.css';
import { PassWarnings } from './pass-warnings.tsx';
import type { Pass } from './use-pass.ts';

const maxThumbnails = 3;

export const PassRow = ({ card, pass }: { card: ApprovalCard; pass: Pass }) => {
  const zone = useZone();
  const { canWrite } = usePermissions();
  const { reject, running } = useDecisions();
  const { id } = card;
  const edit = pass.edits.get(id);
  const isMarked = pass.marked.has(id);
  const isCurrent = pass.current === id;
  const form = pass.form?.id === id ? pass.form.kind : undefined;
  const failure = pass.failureOf(id);
  // The card is on screen, so its toast is redundant.
  useEffect(() => closeToast(toastIdOf('approval', id)), [id]);
  const line = lineOf(card, zone);
  return (
    <li
      className={styles.row}
      data-row={id}
      data-current={isCurrent || undefined}
      tabIndex={-1}
      onFocusCapture={() => pass.look(id)}
    >
      <button
        type="button"
        className={styles.mark}
        data-rejecting={form === 'reject' || undefined}
        aria-pressed={isMarked}
        aria-label={`Approve: ${line}`}
        aria-disabled={!pass.canMark(card) || undefined}
        // Focusing would make this the current row before the button is released: rows move, and the click would miss.
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => {
          pass.look(id);
          if (pass.canMark(card)) pass.mark(id, !isMarked);
        }}
      >
        {form === 'reject' && <X size={15} aria-hidden="true" />}
        {isMarked &&
          form !== 'reject' &&
          (edit ? <Pencil size={14} aria-hidden="true" /> : <Check size={15} aria-hidden="true" />)}
      </button>
      <div className={styles.main}>
        <div className={styles.line}>
          <h3 className={styles.time}>{headOf(card, edit?.scheduledAt, zone)}</h3>
          {edit && (
            <Chip tone="blue" icon={Pencil}>
              Your edit
            </Chip>
          )}
          <PassWarnings card={card} pass={pass} />
          {edit && form === undefined && (
            <Button className={styles.reset} size="xs" variant="quiet" onClick={() => pass.setEdit(id, undefined)}>
              Back to its text
            </Button>
          )}
        </div>
        {failure && (
          <p className={styles.failure} role="alert">
            {failure}
          </p>
        )}
        {form !== 'edit' && <Texts card={card} pass={pass} />}
        {form !== 'edit' && edit && <OtherEdits card={card} edit={edit} />}
        {form === 'reject' && (
          <ReasonForm
            card={card}
            isRunning={running[id] !== undefined}
            onReject={(reason) => reject(card, reason)}
            onCancel={() => pass.open(undefined)}
          />
        )}
        {form === 'edit' && (
          <EditForm
            card={card}
            edit={edit}
            onDone={(next) => pass.setEdit(id, next)}
            onCancel={() => pass.open(undefined)}
          />
        )}
        {isCurrent && form === undefined && canWrite && (
          <div className={styles.acts}>
            <Button size="xs" onClick={() => pass.open({ id, kind: 'edit' })}>
              Edit
            </Button>
            <Button size="xs" variant="quiet" onClick={() => pass.open({ id, kind: 'reject' })}>
              Reject
            </Button>
          </div>
        )}
      </div>
      <Pictures card={card} />
    </li>
  );
};

/** The time, by which people tell the requests of a week apart; for a move, both times. */
const headOf = (card: ApprovalCard, editedTime: string | undefined, zone: string) => {
  const at = editedTime ?? timeOf(card);
  if (card.action !== 'posts.schedule' || at === undefined) return titleOf(card, zone).title;
  const when = formatDateTime(at, zone);
  const before = card.becomes && card.post?.scheduledAt;
  return before ? `Move from ${formatDateTime(before, zone)} to ${when}` : when;
};

const Texts = ({ card, pass }: { card: ApprovalCard; pass: Pass }) => {
  const target = targetOf(card);
  if (target === undefined) return null;
  const edit = pass.edits.get(card.id);
  const edited = edit && withEdit(card, edit);
  const accounts = card.accounts.filter(({ id }) => (edited ?? target).accountIds.includes(id));
  // A change of a scheduled post is shown against the post, an edit against the request.
  const before = edited ? target : (card.post ?? target);
  const after = edited ?? card.becomes;
  return textGroups(before, accounts, after).map((group) => {
    const [was, is] = [textOf(group.content), group.became && textOf(group.became)];
    return (
      <div key={group.accounts.map(({ id }) => id).join()} className={styles.text}>
        <span className={styles.badges}>
          {group.accounts.map(({ id, network }) => (
            <NetworkBadge key={id} network={network} />
          ))}
        </span>
        {is === undefined || is === was ? (
          <p className={pass.current === card.id ? styles.full : styles.short} dir="auto">
            {was || <i className="text-3">No text</i>}
          </p>
        ) : (
          <DiffText before={was} after={is} className={styles.full} />
        )}
      </div>
    );
  });
};

const Pictures = ({ card }: { card: ApprovalCard }) => {
  const files = card.media.slice(0, maxThumbnails);
  if (files.length === 0) return null;
  return (
    <span className={styles.pictures}>
      {files.map(({ id, kind }) => (
        <Thumbnail key={id} url={thumbnailOf(id)} kind={kind} size={44} />
      ))}
    </span>
  );
};
