import { NotDone } from '#web/base/faults.ts';
import { useZone } from '#web/base/session.ts';
import { formatDateTime } from '#web/base/time.ts';
import { ConfirmDialog } from '#web/parts/confirm-dialog.tsx';
import { count } from '#web/parts/number.ts';
import { lineOf } from '#web/requests/format-request.ts';
import { PasskeyYes } from '#web/requests/passkey-yes.tsx';
import { canUndo } from '#web/requests/undo-approvals.ts';
import styles from './pass.module.css';
import { type Pass, useChecks } from './use-pass.ts';

/** Says what will happen, after checking exactly the marked requests once more. */
export const ConfirmPass = ({ pass, onClose }: { pass: Pass; onClose: () => void }) => {
  const zone = useZone();
  const marked = pass.cards.filter(({ id }) => pass.marked.has(id));
  const check = useChecks(marked, pass.edits, true);
  const results = new Map(check.data?.results.map((result) => [result.id, result]));
  const refused = marked.filter(({ id }) => results.get(id)?.error);
  const cards = marked.filter((card) => !refused.includes(card));
  const undoable = cards.filter(canUndo).length;
  const final = cards.filter(({ action }) => action === 'posts.publishNow').length;
  const approve = async () => {
    // The click came before the check's answer: the person must see any problem before approving.
    const { results: latest = [] } = check.data ?? (await check.refetch({ throwOnError: true })).data ?? {};
    if (check.data === undefined && latest.some(({ error }) => error)) {
      throw new NotDone('Not all of these can be approved. Look again.');
    }
    if (cards.length === 0) throw new NotDone('Nothing that is marked can be approved.');
    await pass.approve(cards);
  };
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={`Approve ${cards.length} of ${pass.cards.length}?`}
      act={`Approve ${cards.length}`}
      kind="send"
      onConfirm={approve}
    >
      <ul className={styles.plan} aria-label="What will happen">
        {cards.map((card) => (
          <li key={card.id} dir="auto">
            {lineOf(card, zone)}
            {pass.edits.has(card.id) && <b>{describeEdit(pass.edits.get(card.id)?.scheduledAt, zone)}</b>}
            {(results.get(card.id)?.sameMinute.length ?? 0) > 0 && (
              <span className={styles.clash}> Another post goes out in the same minute.</span>
            )}
          </li>
        ))}
      </ul>
      {refused.length > 0 && (
        <>
          <p>{count(refused.length, 'request')} cannot be approved now, and stays open:</p>
          <ul className={styles.plan} aria-label="What cannot be approved">
            {refused.map((card) => (
              <li key={card.id} dir="auto">
                {lineOf(card, zone)}. <span className={styles.clash}>{results.get(card.id)?.error?.message}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <p className="small text-2">
        {[
          'All of it runs as you.',
          ...(undoable > 0 ? ['What is scheduled can be taken back until it goes out.'] : []),
          ...(final > 0
            ? [`${count(final, 'post')} ${final === 1 ? 'is' : 'are'} public at once, which cannot be undone.`]
            : []),
        ].join(' ')}
      </p>
      <PasskeyYes />
    </ConfirmDialog>
  );
};

const describeEdit = (scheduledAt: string | undefined, zone: string) =>
  ` with your edit${scheduledAt ? `, for ${formatDateTime(scheduledAt, zone)}` : ''}`;
